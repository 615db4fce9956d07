"""Drills and their twins, with few of everything: what proves the service must not rot.

Each runs on one engine. Outage and restart take minutes even so: ``make prove`` runs them, and all
of the others on both engines.
"""

import os
import subprocess
import sys

import pytest
from django.db import connection

from tests.drills.report import Result, from_json
from tests.processes import ROOT, database_url

# Far longer than it takes on a machine with nothing else to do.
SECONDS = 900
DRILLS = {
    "sqlite": ("guess", "clock"),
    "postgresql": ("crash", "oversell", "seats", "invite", "foreign", "zone"),
}

pytestmark = [pytest.mark.concurrency, pytest.mark.django_db(transaction=True)]


def run_drills(*arguments: str) -> list[Result]:
    command = [sys.executable, "-m", "tests.drills", *arguments, "--quick", "--json"]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=dict(os.environ),
        timeout=SECONDS,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr
    return [from_json(line) for line in done.stdout.splitlines()]


def problems(results: list[Result]) -> list[str]:
    return [
        f"{one.drill} {one.twin}: {one.verdict} {one.broken}" for one in results if not one.is_ok
    ]


def test_drills_keep_their_promises_and_their_twins_do_not():
    engine = connection.vendor
    connection.close()

    # One process, which starts once for all of them.
    results = run_drills(*DRILLS[engine], "--engine", engine, "--database-url", database_url())

    assert problems(results) == []
    assert {one.drill for one in results if not one.twin} == {*DRILLS[engine]}
    assert {one.drill for one in results if one.twin} == {*DRILLS[engine]}
