"""What production promises browsers, and that check --deploy finds what is amiss.

``make check`` runs check --deploy for a production in which nothing is (tests/check_deploy.py).
"""

import subprocess
import sys

import pytest

from tests.check_deploy import PRODUCTION
from tests.config.environments import production
from tests.processes import ROOT


@pytest.mark.parametrize(
    ("environment", "promise"),
    [
        ({}, (63_072_000, False, False)),
        ({"HSTS_PRELOAD": "true"}, (63_072_000, True, True)),
        ({"HSTS_PRELOAD": "true", "BASE_URL": "http://clases.example"}, (0, False, False)),
    ],
    ids=["default", "preload", "http"],
)
def test_https_is_promised_for_the_own_host_unless_more_is_wished(environment, promise):
    env = production(**environment)

    found = env.SECURE_HSTS_SECONDS, env.SECURE_HSTS_INCLUDE_SUBDOMAINS, env.SECURE_HSTS_PRELOAD
    assert found == promise


def test_deployment_check_minds_plain_http():
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy"],
        env={**PRODUCTION, "BASE_URL": "http://clases.example"},
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )

    # What is allowed to be said: there is no database at its address.
    assert "bookings.I001" in done.stderr
    assert "WARNINGS" in done.stderr
