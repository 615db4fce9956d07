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


def test_the_shell_s_tour(demo, tmp_path):
    [script] = blocks("sh")

    said = subprocess.run(
        ["/bin/bash", "-euc", script.replace("http://localhost:8000", demo)],
        cwd=tmp_path,
        capture_output=True,
        timeout=SECONDS,
        check=True,
        text=True,
    ).stdout

    answers = [json.loads(line) for line in said.splitlines()]
    events, session, booked, unpaid, scheduled, joined = answers
    assert all(event["status"] == "confirmed" for event in events)
    assert session["user"]["email"] == "carla@demo.example"
    assert booked == {"success": True, "status": 200}
    assert unpaid == {"error": "Payment not confirmed"}
    assert scheduled == {"success": True, "message": "Event created successfully"}
    assert joined["response"]["classType"] == "grupal"


@on_a("desk")
def test_the_console_s_tour(new_page):
    page = new_page()
    sign_in(page, DIEGO)
    page.goto("/inicio")
    page.expose_function("pay", pay)
    before, after = blocks("js")

    booked, _, scheduled = page.evaluate(
        f"""async () => {{
            const said = [], console = {{ log: (...words) => said.push(words) }};
            {before} await pay(initPoint); {after}
            return said;
        }}"""
    )

    assert booked == [{"status": 200, "success": True}]
    assert scheduled == [{"status": 200, "success": True, "message": "Event created successfully"}]


def pay(address):
    requests.post(address, data={"action": "approve"}, timeout=SECONDS, allow_redirects=False)
