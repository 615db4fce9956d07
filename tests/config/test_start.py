"""What is loaded when the service starts, and what waits until somebody asks for it."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.processes import ROOT

START = "import config.wsgi\n"
ADDRESSES = START + "from django.urls import get_resolver\nget_resolver().url_patterns\n"
TELL = "import sys\nprint(*sys.modules, sep='\\n')"


@pytest.fixture(scope="module")
def loaded():
    """Say what a new process has loaded that runs a script."""

    def load(script):
        command = [sys.executable, "-W", "ignore", "-c", script + TELL]
        ran = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
        return set(ran.stdout.split())

    return load


def test_start_loads_no_door_and_nothing_that_only_doors_need(loaded):
    waiting = {
        "bookings.admin",
        "bookings.domain.scheduling",
        "bookings.pages",
        "bookings.sweeps",
        "calendar_sync.google",
        "config.urls",
        "drf_spectacular.utils",
        "googleapiclient",
        "icalendar",
        "mercadopago",
        "requests",
        "rest_framework.serializers",
    }

    assert not loaded(START) & waiting
    assert all(map(find_spec, waiting))  # a name that nothing has any more would say nothing


def test_addresses_bring_the_views_without_the_description_of_the_api(loaded):
    modules = loaded(ADDRESSES)

    assert {"bookings.admin", "bookings.pages.home", "config.openapi.views"} <= modules
    assert not modules & {"drf_spectacular.utils", "accounts.openapi", "django.test", "unittest"}
