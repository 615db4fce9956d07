"""Two workers of gunicorn without CACHE_URL agree on who has a place."""

from collections import Counter
from functools import partial

import pytest
import requests
from django.conf import settings

from bookings.models import Role, UserActivity, VirtualClass
from tests.concurrency.racing import serve
from tests.factories import UserFactory, VirtualClassFactory
from tests.processes import database_url, web_server

CODE = "ABCD2345"
HOST = {"Host": "testserver"}  # of BASE_URL


@pytest.fixture(scope="module")
def server(django_db_setup, tmp_path_factory):
    """Two workers with the shipped configuration, and caches of their own."""
    with web_server(
        tmp_path_factory.mktemp("server"),
        workers=2,
        CACHE_URL="",
        BASE_URL=settings.BASE_URL,
        DATABASE_URL=database_url(),
    ) as server:
        yield server


def join(server, session):
    """Join; give the status and the refusal's code."""
    response = requests.post(
        f"{server.url}/api/access-code",
        f'"{CODE}"',
        headers={**HOST, "Cookie": f"session={session}"},
        timeout=20,
    )
    return response.status_code, response.json().get("response", {}).get("code", "")


@pytest.mark.concurrency
def test_twenty_guests_of_both_workers_get_four_places(server, host, client_of):
    VirtualClassFactory(scheduled=True, booked_by=host, access_code=CODE, max_participants=5)
    sessions = [client_of(UserFactory()).cookies["session"].value for _ in range(20)]

    answers = serve([partial(join, server, session) for session in sessions], threads=20)

    assert Counter(answers) == {(200, ""): 4, (409, "class_full"): 16}
    assert UserActivity.objects.filter(rol=Role.PARTICIPANT).count() == 4
    assert VirtualClass.objects.get().current_participants == 5
