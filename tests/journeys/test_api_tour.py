"""The tour in docs/api.md does what it says, in a shell and in a browser's console."""

import json
import re
import subprocess
from pathlib import Path

import pytest
import requests

from tests.demo.people import DIEGO
from tests.journeys.steps import sign_in
from tests.journeys.ways import on_a

pytestmark = pytest.mark.browser

DOCS = (Path(__file__).resolve().parents[2] / "docs" / "api.md").read_text()
SECONDS = 60


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", DOCS, re.DOTALL)


def test_the_shell_s_tour_twice(demo, tmp_path):
    for joined in ({"classType": "grupal"}, {"code": "already_joined"}):
        prices, session, booked, unpaid, scheduled, last = walk(demo, tmp_path)

        assert {"individual", "grupal"} < {one["type"] for one in prices["prices"]}
        assert session["user"]["email"] == "carla@demo.example"
        assert booked == {"success": True, "status": 200}
        assert unpaid == {"error": "Payment not confirmed"}
        assert scheduled == {"success": True, "message": "Event created successfully"}
        assert joined.items() <= last["response"].items()


def walk(demo, folder):
    """Run the tour; return its answers."""
    [script] = blocks("sh")
    said = subprocess.run(
        ["/bin/bash", "-euc", script.replace("http://localhost:8000", demo)],
        cwd=folder,
        capture_output=True,
        timeout=SECONDS,
        check=True,
        text=True,
    ).stdout
    return [json.loads(line) for line in said.splitlines()]


@on_a("desk")
def test_the_console_s_tour_twice(new_page):
    page = new_page()
    sign_in(page, DIEGO)
    page.goto("/inicio")
    page.expose_function("pay", pay)
    before, after = blocks("js")

    for _ in range(2):
        booked, _, scheduled, (_, link), cancelled = page.evaluate(
            f"""async () => {{
                const said = [], console = {{ log: (...words) => said.push(words) }};
                {before} await pay(initPoint); {after}
                return said;
            }}"""
        )

        assert booked == [{"status": 200, "success": True}]
        message = "Event created successfully"
        assert scheduled == [{"status": 200, "success": True, "message": message}]
        assert link.startswith("https://meet.google.com/")
        assert cancelled[0]["status"] == "cancelled"


def pay(address):
    requests.post(address, data={"action": "approve"}, timeout=SECONDS, allow_redirects=False)
