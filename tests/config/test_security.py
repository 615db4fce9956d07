"""What production promises browsers, and what check --deploy says about it."""

import subprocess
import sys
from functools import cache

import pytest

from tests.check_deploy import PRODUCTION
from tests.processes import ROOT

# What is promised, then what manage.py check --deploy says.
PROGRAM = """
from django.conf import settings
from django.core.management import execute_from_command_line
print(
    settings.SECURE_HSTS_SECONDS,
    settings.SECURE_HSTS_INCLUDE_SUBDOMAINS,
    settings.SECURE_HSTS_PRELOAD,
    flush=True,
)
execute_from_command_line(["manage.py", "check", "--deploy"])
"""


@cache
def read_production(**environment):
    """Give what a process prints that is configured as production."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={"DJANGO_SETTINGS_MODULE": "config.settings", **PRODUCTION, **environment},
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("environment", "promise"),
    [
        ({}, "63072000 False False"),
        ({"HSTS_PRELOAD": "true"}, "63072000 True True"),
        ({"HSTS_PRELOAD": "true", "BASE_URL": "http://clases.example"}, "0 False False"),
    ],
    ids=["default", "preload", "http"],
)
def test_https_is_promised_for_the_own_host_unless_more_is_wished(environment, promise):
    assert read_production(**environment).splitlines()[0] == promise


@pytest.mark.parametrize("environment", [{}, {"HSTS_PRELOAD": "true"}], ids=["default", "preload"])
def test_deployment_check_has_nothing_to_say(environment):
    said = read_production(**environment)

    # There is no database at its address.
    assert "bookings.I001" in said
    assert "System check identified 1 issue (" in said
    assert "WARNINGS" not in said


def test_deployment_check_minds_plain_http():
    """The control: it does say so where something is amiss."""
    assert "WARNINGS" in read_production(BASE_URL="http://clases.example", HSTS_PRELOAD="true")
