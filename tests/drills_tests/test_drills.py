"""Drills and their twins, with few of everything: what proves the service must not rot.

Outage and restart take minutes even so: ``make prove`` runs them.
"""

import os
import subprocess
import sys

import pytest
from django.db import connection

from tests.drills.report import Result, from_json
from tests.processes import ROOT, database_url

# Far longer than it takes on a machine with nothing else to do.
SECONDS = 600

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


@pytest.mark.parametrize("drill", ["crash", "oversell", "guess"])
def test_drill_keeps_its_promises_and_its_twins_do_not(drill):
    connection.close()

    results = run_drills(drill, "--engine", connection.vendor, "--database-url", database_url())

    assert problems(results) == []
    assert len([one for one in results if one.twin]) >= 1
