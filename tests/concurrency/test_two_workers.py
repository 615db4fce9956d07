"""Two workers of gunicorn without CACHE_URL: a write of one shows in the other at once."""

import pytest
import requests

from bookings.domain.lifecycle.cancelling import cancel_class
from tests.factories import VirtualClassFactory
from tests.processes import database_url, web_server

PATH = "/api/calendar"


@pytest.fixture
def server(tmp_path, teacher):
    """Two workers with the shipped configuration, and caches of their own."""
    with web_server(
        tmp_path, workers=2, CACHE_URL="", CALENDAR_CACHE_SECONDS="900", DATABASE_URL=database_url()
    ) as server:
        yield server


def lengths(server):
    """Ask so often, by a connection each, that both workers answer."""
    return {len(requests.get(server.url + PATH, timeout=20).json()) for _ in range(24)}


@pytest.mark.django_db(transaction=True)
def test_both_workers_list_a_write_at_once(server, teacher, host, google):
    virtual_class = VirtualClassFactory(booked_by=host)
    assert lengths(server) == {0}

    body = {"preferenceId": virtual_class.preference_id}
    assert requests.post(server.url + PATH, json=body, timeout=20).status_code == 200
    assert lengths(server) == {1}

    # By a third process: this one, as the worker would.
    cancel_class(class_id=virtual_class.pk, actor=teacher)
    assert lengths(server) == {0}
