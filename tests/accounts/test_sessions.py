"""The session in the cookie: its token, renewal, revocation, and what it costs."""

import base64
import json
from datetime import UTC, datetime, timedelta

import jwt
import pytest
from django.conf import settings
from django.contrib.sessions.backends.base import UpdateError
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from accounts.models import Session, User
from accounts.services import revoke_sessions, suspend
from accounts.sessions.engine import SessionStore
from accounts.sessions.tokens import issue_token, read_token, signing_key
from tests.accounts.flows import session_of

pytestmark = pytest.mark.django_db


NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def forge(key: bytes | str | None = None, headers: dict | None = None, **claims) -> str:
    """Sign claims that are right except for what is given; None drops one."""
    now = timezone.now()
    usual = {
        "iss": settings.BASE_URL,
        "sid": "a" * 32,
        "sub": "someone",
        "iat": now,
        "exp": now + timedelta(days=30),
    }
    kept = {name: value for name, value in {**usual, **claims}.items() if value is not None}
    return jwt.encode(kept, key or signing_key(settings.SECRET_KEY), "HS256", headers=headers)


def test_token_says_whose_session_it_is_and_until_when(time_machine):
    time_machine.move_to(NOON, tick=False)

    token = issue_token(session_id="abc", user_id="ana")

    claims = jwt.decode(token.value, options={"verify_signature": False})
    assert claims == {
        "iss": "http://testserver",
        "sid": "abc",
        "sub": "ana",
        "iat": int(NOON.timestamp()),
        "exp": int(NOON.timestamp()) + 2_592_000,
    }


def test_token_is_read_back_as_it_was_issued():
    token = issue_token(session_id="abc", user_id="ana")

    assert read_token(token.value) == token


def test_stranger_s_token_names_nobody():
    token = issue_token(session_id="abc", user_id=None)

    assert "sub" not in jwt.decode(token.value, options={"verify_signature": False})
    assert read_token(token.value) == token


def test_token_is_due_for_renewal_after_twelve_hours(time_machine):
    time_machine.move_to(NOON, tick=False)
    token = issue_token(session_id="abc", user_id="ana")

    time_machine.move_to(NOON + timedelta(seconds=43_199), tick=False)
    before = token.is_due_for_renewal
    time_machine.move_to(NOON + timedelta(seconds=43_200), tick=False)

    assert (before, token.is_due_for_renewal) == (False, True)


def test_token_of_a_clock_that_was_ahead_counts_and_is_due_for_renewal(time_machine):
    time_machine.move_to(NOON + timedelta(days=1), tick=False)
    value = issue_token(session_id="abc", user_id="ana").value

    time_machine.move_to(NOON, tick=False)
    token = read_token(value)

    assert token is not None
    assert token.is_due_for_renewal


def test_token_dies_after_thirty_days(time_machine):
    time_machine.move_to(NOON, tick=False)
    token = issue_token(session_id="abc", user_id="ana")

    time_machine.move_to(NOON + timedelta(days=30, seconds=-1), tick=False)
    alive = read_token(token.value)
    time_machine.move_to(NOON + timedelta(days=30, seconds=16), tick=False)

    assert alive == token
    assert read_token(token.value) is None


def test_rotated_key_still_reads_and_a_dropped_one_does_not(settings):
    token = issue_token(session_id="abc", user_id="ana")

    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "a-new-key"
    rotated = read_token(token.value)
    settings.SECRET_KEY_FALLBACKS = []

    assert rotated == token
    assert read_token(token.value) is None


def unsigned() -> str:
    """Make a token with ``alg: none``."""
    _header, payload, _ = forge().split(".")
    head = base64.urlsafe_b64encode(json.dumps({"alg": "none", "typ": "JWT"}).encode())
    return f"{head.rstrip(b'=').decode()}.{payload}."


def flipped() -> str:
    """Change one bit of the payload."""
    header, payload, signature = forge().split(".")
    changed = chr(ord(payload[10]) ^ 1)
    return f"{header}.{payload[:10]}{changed}{payload[11:]}.{signature}"


FORGERIES = {
    "empty": lambda: "",
    "dots": lambda: "a.b.c",
    "ten kilobytes": lambda: "x" * 10_240,
    "alg none": unsigned,
    "other key": lambda: forge(key="another-key-of-thirty-two-bytes!"),
    "the secret key itself": lambda: forge(key=settings.SECRET_KEY),
    "other algorithm": lambda: jwt.encode(
        {"sid": "a"}, signing_key(settings.SECRET_KEY) * 2, "HS512"
    ),
    "flipped bit": flipped,
    "expired": lambda: forge(exp=timezone.now() - timedelta(minutes=1)),
    "other issuer": lambda: forge(iss="https://evil.example"),
    "an audience": lambda: forge(aud="somebody"),
    "no sid": lambda: forge(sid=None),
    "no iat": lambda: forge(iat=None),
    "number as sub": lambda: forge(sub=5),
}


@pytest.mark.parametrize("make", FORGERIES.values(), ids=FORGERIES)
def test_forgery_is_refused(make):
    assert read_token(make()) is None


@pytest.mark.parametrize(
    "headers",
    [
        {"kid": "../../etc/passwd"},
        {"jku": "http://127.0.0.1:1/keys"},
        {"x5u": "http://127.0.0.1:1/cert"},
        {"jwk": {"kty": "oct", "k": "AAAA"}},
    ],
    ids=["kid", "jku", "x5u", "jwk"],
)
def test_key_that_a_header_points_at_is_not_used(headers):
    assert read_token(forge(key="another-key-of-thirty-two-bytes!", headers=headers)) is None


# --- The session engine ---------------------------------------------------------------------------


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
