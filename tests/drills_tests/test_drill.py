"""One drill with its twins and few of everything, so that the drills' code does not rot.

``make prove`` runs all of them, on both engines.
"""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from django.db import connection

from tests.drills.report import from_json
from tests.processes import ROOT

# Far longer than it takes on a machine with nothing else to do.
SECONDS = 300


@pytest.fixture
def tables(db, tmp_path):
    """Options that spare the drill its migrations: a copy of the tests' own database."""
    if connection.vendor != "sqlite":
        return []
    file = tmp_path / "test_drill.sqlite3"
    source = sqlite3.connect(connection.settings_dict["NAME"])  # beside the test's transaction
    with closing(source), closing(sqlite3.connect(file)) as copy:
        source.backup(copy)
    return [f"--database-url=sqlite:///{file}"]


def test_a_drill_keeps_its_promise_and_its_twins_do_not(tables):
    command = [sys.executable, "-m", "tests.drills", "oversell", "--engine=sqlite"]
    done = subprocess.run(
        [*command, *tables, "--quick", "--people=6", "--json"],
        cwd=ROOT,
        env=dict(os.environ),
        timeout=SECONDS,
        capture_output=True,
        text=True,
        check=False,
    )

    results = [from_json(line) for line in done.stdout.splitlines()]
    assert results, done.stderr
    assert [(one.twin, one.broken) for one in results if not one.is_ok] == []
    assert {bool(one.twin) for one in results} == {False, True}
