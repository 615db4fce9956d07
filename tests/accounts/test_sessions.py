"""The session engine: renewal, revocation, and what it costs."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.sessions.backends.base import UpdateError
from django.core.management import call_command
from django.test import Client

from accounts.models import Session, User
from accounts.services import revoke_sessions, suspend
from accounts.sessions.engine import SessionStore
from accounts.sessions.tokens import issue_token, read_token
from tests.accounts.flows import session_of
from tests.accounts.test_tokens import FORGERIES

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 20, 8, 10, tzinfo=UTC)


def test_signed_in_request_costs_one_query_for_session_and_person(
    sign_in, student, django_assert_num_queries
):
    client = sign_in(student)

    with django_assert_num_queries(1):
        body = session_of(client)

    assert body["user"]["email"] == student.email


def test_person_of_the_session_has_every_field_as_the_orm_reads_it(sign_in, teacher):
    teacher.provider_refresh_token = "1//grant"
    teacher.provider_token_saved_at = NOW
    teacher.save()
    cookie = sign_in(teacher).cookies["session"].value

    person = SessionStore(cookie).user

    assert person.get_deferred_fields() == {"private_notes"}
    names = [field.attname for field in User._meta.concrete_fields]
    stored = User.objects.get(pk=teacher.pk)
    assert [getattr(person, name) for name in names] == [getattr(stored, name) for name in names]
    assert [type(getattr(person, name)) for name in names] == [
        type(getattr(stored, name)) for name in names
    ]


@pytest.mark.parametrize("make", FORGERIES.values(), ids=FORGERIES)
def test_forged_cookie_costs_no_query_and_is_cleared(make, client, django_assert_num_queries):
    client.cookies["session"] = make()

    with django_assert_num_queries(0):
        response = client.get("/api/auth/session")

    assert response.json() == {}
    assert response.cookies["session"]["max-age"] == 0 or not make()


def test_stranger_costs_no_query_and_gets_no_session(client, django_assert_num_queries):
    with django_assert_num_queries(0):
        response = client.get("/api/auth/session")

    assert response.json() == {}
    assert not response.cookies


def test_token_of_a_row_that_never_was_is_refused(client):
    client.cookies["session"] = issue_token(session_id="0" * 32, user_id="x").value

    assert session_of(client) == {}


@pytest.mark.parametrize("path", ["/api/auth/session", "/api/user-data", "/inicio/perfil"])
def test_any_request_renews_a_session_of_twelve_hours(time_machine, sign_in, student, path):
    time_machine.move_to(NOW, tick=False)
    client = sign_in(student)
    later = NOW + timedelta(seconds=43_200)

    time_machine.move_to(later, tick=False)
    response = client.get(path)

    token = read_token(response.cookies["session"].value)
    assert token.issued_at == later
    assert token.user_id == str(student.pk)
    assert Session.objects.get().expire_date == later + timedelta(days=30)


def test_session_of_a_clock_that_was_ahead_goes_on_for_thirty_days(time_machine, sign_in, student):
    time_machine.move_to(NOW + timedelta(days=1), tick=False)
    client = sign_in(student)

    time_machine.move_to(NOW, tick=False)

    assert session_of(client)["expires"] == "2026-12-20T08:10:00.000Z"
    assert Session.objects.get().expire_date == NOW + timedelta(days=30)


def test_renewal_keeps_the_session_s_key_and_data(time_machine, sign_in, student):
    time_machine.move_to(NOW, tick=False)
    client = sign_in(student)
    session = client.session
    session["kept"] = 1
    session.save()
    before = read_token(client.cookies["session"].value).session_id

    time_machine.move_to(NOW + timedelta(days=1), tick=False)
    client.get("/api/auth/session")

    assert client.session["kept"] == 1
    assert read_token(client.cookies["session"].value).session_id == before


def test_unused_session_ends_after_thirty_days(time_machine, sign_in, student):
    time_machine.move_to(NOW, tick=False)
    client = sign_in(student)

    time_machine.move_to(NOW + timedelta(days=30, seconds=1), tick=False)

    assert session_of(client) == {}


def test_revoked_session_is_over_at_once(sign_in, student):
    client = sign_in(student)

    revoke_sessions(user=student)

    assert session_of(client) == {}
    assert client.get("/api/user-data").status_code == 401


def test_session_of_a_suspended_person_is_over(sign_in, student):
    client = sign_in(student)

    suspend(user=student)

    assert session_of(client) == {}
    assert not Session.objects.exists()


def test_suspended_person_is_a_stranger_even_with_a_session(sign_in, student):
    client = sign_in(student)
    User.objects.update(status="suspended")

    assert session_of(client) == {}
    assert client.get("/api/user-data").status_code == 401


def test_sign_out_kills_the_token(sign_in, student):
    client = sign_in(student)
    cookie = client.cookies["session"].value

    client.post("/api/auth/signout")

    thief = Client()
    thief.cookies["session"] = cookie
    assert session_of(thief) == {}
    assert not Session.objects.exists()


def test_request_that_does_not_look_reads_no_session(sign_in, student, django_assert_num_queries):
    client = sign_in(student)

    with django_assert_num_queries(0):
        client.get("/api/auth/providers")


def test_store_without_a_person_has_none():
    store = SessionStore()
    store["state"] = 1
    store.save()

    again = SessionStore(store.session_key)

    assert again["state"] == 1
    assert again.user is None
    assert again.exists(Session.objects.get().session_key)


def test_stranger_s_session_lives_an_hour(time_machine, google, client):
    time_machine.move_to(NOW, tick=False)

    response = client.post("/api/auth/signin/google")

    assert response.cookies["session"]["max-age"] == 3_600
    assert Session.objects.get().expire_date == NOW + timedelta(hours=1)


def test_saving_a_session_revoked_meanwhile_fails(sign_in, student):
    store = SessionStore(sign_in(student).cookies["session"].value)
    store["kept"] = 1

    Session.objects.all().delete()

    with pytest.raises(UpdateError):
        store.save()


def test_clearsessions_deletes_what_is_over(time_machine, sign_in, student):
    time_machine.move_to(NOW, tick=False)
    sign_in(student)
    time_machine.move_to(NOW + timedelta(days=31), tick=False)
    client = sign_in(student)

    call_command("clearsessions")

    assert Session.objects.count() == 1
    assert session_of(client)["user"]["email"] == student.email
