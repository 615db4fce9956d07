"""One drill with its twins and few of everything, so that the drills' code does not rot.

``make prove`` runs all of them, on both engines.
"""

import os
import subprocess
import sys

from tests.drills.report import from_json
from tests.processes import ROOT

# Far longer than it takes on a machine with nothing else to do.
SECONDS = 300


def test_a_drill_keeps_its_promise_and_its_twins_do_not():
    command = [sys.executable, "-m", "tests.drills", "oversell", "--engine=sqlite"]
    done = subprocess.run(
        [*command, "--quick", "--json"],
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
