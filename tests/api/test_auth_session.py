"""GET /api/auth/session: who is signed in, and until when."""

from datetime import UTC, datetime

import pytest
from django.test import Client

from tests.accounts.flows import session_of

pytestmark = pytest.mark.django_db


def test_session_of_a_stranger_is_an_empty_object(client):
    response = client.get("/api/auth/session")

    assert (response.status_code, response.json()) == (200, {})


def test_session_names_the_person_and_its_end(student, time_machine):
    time_machine.move_to(datetime(2026, 11, 20, 8, 10, tzinfo=UTC), tick=False)
    client = Client()
    client.force_login(student)

    assert session_of(client) == {
        "user": {"id": str(student.pk), "name": "Bruno Student", "email": "bruno@example.com"},
        "expires": "2026-12-20T08:10:00.000Z",
    }


def test_session_of_a_nameless_person_shows_the_address(client, student):
    student.name = ""
    student.save()
    client.force_login(student)

    assert session_of(client)["user"]["name"] == "bruno@example.com"


@pytest.mark.parametrize("body", ['{"csrfToken": "x", "data": {"name": "Eve"}}', "{", ""])
def test_update_of_nextauth_answers_the_session_as_it_is(client, student, body):
    client.force_login(student)

    response = client.post("/api/auth/session", body, content_type="application/json")

    assert response.status_code == 200
    assert response.json() == session_of(client)
    assert response.json()["user"] == {
        "id": str(student.pk),
        "name": "Bruno Student",
        "email": student.email,
    }


def test_update_of_a_stranger_is_an_empty_object(client):
    response = client.post("/api/auth/session", {}, content_type="application/json")

    assert (response.status_code, response.json()) == (200, {})
