"""What production promises browsers, and what check --deploy says about it."""

import subprocess
import sys

import pytest

from tests.check_deploy import PRODUCTION
from tests.processes import ROOT

HSTS = (
    "from django.conf import settings; print("
    "settings.SECURE_HSTS_SECONDS, settings.SECURE_HSTS_INCLUDE_SUBDOMAINS,"
    "settings.SECURE_HSTS_PRELOAD)"
)


def python(*arguments, **environment):
    """Give what a process prints that is configured as production."""
    done = subprocess.run(
        [sys.executable, *arguments],
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
    assert python("-c", HSTS, **environment).strip() == promise


@pytest.mark.parametrize("preload", ["false", "true"])
def test_deployment_check_has_nothing_to_say(preload):
    said = python("manage.py", "check", "--deploy", HSTS_PRELOAD=preload)

    assert "WARNINGS" not in said
