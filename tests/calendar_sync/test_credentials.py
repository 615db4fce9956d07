"""In whose name the calendar is used."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from uuid import uuid4

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from calendar_sync import (
    CalendarNotConnectedError,
    CalendarRefusedError,
    CalendarUnavailableError,
    get_calendar,
)
from tests.environment import TEACHER_EMAIL
from tests.standins import Fault

NOW = datetime(2026, 11, 25, 15, 0, tzinfo=UTC)


def sent(google, route):
    return [request for request in google.requests if request.route == route]


@pytest.fixture(scope="module")
def private_key():
    """An RSA key as service accounts have."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ).decode()


@pytest.fixture
def service_account(google, private_key, settings):
    """A service account in the settings, whose tokens come from the stand-in."""
    settings.CALENDAR_SERVICE_ACCOUNT = {
        "type": "service_account",
        "private_key_id": uuid4().hex,  # another account to the process, which keeps its tokens
        "client_email": "robot@project.iam.gserviceaccount.com",
        "private_key": private_key,
        "token_uri": f"{google.url}/oauth2/token",
    }


def test_refresh_token_is_exchanged_with_the_services_client(google, calendar, token):
    calendar.upcoming_events(since=NOW)

    [request] = sent(google, "token")
    assert request.form == {
        "grant_type": "refresh_token",
        "client_id": "google-client",
        "client_secret": "google-secret",
        "refresh_token": token,
    }


def test_access_token_that_expired_is_renewed(google, calendar):
    calendar.upcoming_events(since=NOW)
    google.expire_access_tokens()

    calendar.upcoming_events(since=NOW)

    assert len(sent(google, "token")) == 2


@pytest.mark.concurrency
def test_threads_share_the_refresh_after_a_401(google, calendar, token):
    calendar.upcoming_events(since=NOW)
    google.expire_access_tokens()
    google.fault("token", Fault.delay(0.2))
    start = threading.Barrier(8)

    def look(_):
        start.wait()
        return get_calendar(refresh_token=token).upcoming_events(since=NOW)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(look, range(8))) == [[]] * 8

    assert len(sent(google, "token")) <= 3


def test_service_account_acts_for_the_administrator(google, service_account, draft):
    created = get_calendar(refresh_token=None).create_event(draft)

    form = sent(google, "token")[0].form
    claims = jwt.decode(form["assertion"], options={"verify_signature": False})
    assert form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer"
    assert claims["iss"] == "robot@project.iam.gserviceaccount.com"
    assert claims["sub"] == TEACHER_EMAIL
    assert claims["scope"] == "https://www.googleapis.com/auth/calendar.events"
    assert created.conference_url
    assert google.live_events()[0]["attendees"][0]["email"] == draft.guests[0]


def test_service_account_that_acts_for_nobody_invites_nobody(
    google, service_account, draft, settings
):
    settings.ADMIN_EMAIL = ""

    with pytest.raises(CalendarRefusedError, match="400"):
        get_calendar(refresh_token=None).create_event(draft)

    claims = jwt.decode(
        sent(google, "token")[0].form["assertion"], options={"verify_signature": False}
    )
    assert "sub" not in claims
    assert "attendees" not in sent(google, "events.insert")[0].json
    assert get_calendar(refresh_token=None).update_guests(draft) is None
    assert sent(google, "events.patch") == []


def test_service_account_stands_behind_the_refresh_token(google, service_account, token):
    get_calendar(refresh_token=token).upcoming_events(since=NOW)

    assert sent(google, "token")[0].form["grant_type"] == "refresh_token"


@pytest.mark.parametrize(
    "change",
    [{"private_key": "nonsense"}, {"token_uri": None}, {"client_email": None}],
    ids=["broken key", "no token address", "no name"],
)
def test_service_account_without_a_usable_key_is_not_connected(
    google, service_account, settings, change
):
    account = {**settings.CALENDAR_SERVICE_ACCOUNT, **change}
    settings.CALENDAR_SERVICE_ACCOUNT = {name: value for name, value in account.items() if value}

    with pytest.raises(CalendarNotConnectedError):
        get_calendar(refresh_token=None).upcoming_events(since=NOW)


@pytest.mark.parametrize(
    ("word", "name"), [("unauthorized_client", "primary"), ("invalid_grant", TEACHER_EMAIL)]
)
def test_service_account_without_delegation_acts_as_itself(
    google, service_account, settings, word, name
):
    settings.CALENDAR_ID = name
    google.shared_with = {"robot@project.iam.gserviceaccount.com"}
    google.add_event(TEACHER_EMAIL, start=NOW)
    google.fault("token", Fault.status(401, word))

    for _ in range(2):
        slots = get_calendar(refresh_token=None).upcoming_events(since=NOW)

    assert len(slots) == 1
    claims = [
        jwt.decode(one.form["assertion"], options={"verify_signature": False})
        for one in sent(google, "token")
    ]
    # Its own token is good for an hour: nobody is impersonated meanwhile.
    assert [claim.get("sub") for claim in claims] == [TEACHER_EMAIL, None]
    assert {request.segments[0] for request in sent(google, "events.list")} == {TEACHER_EMAIL}


def test_service_account_without_delegation_invites_nobody(google, service_account, draft):
    google.shared_with = {"robot@project.iam.gserviceaccount.com"}
    google.add_person(TEACHER_EMAIL)
    google.fault("token", Fault.status(401, "unauthorized_client"))

    with pytest.raises(CalendarRefusedError, match="400"):  # Google lets it make no meeting
        get_calendar(refresh_token=None).create_event(draft)

    assert "attendees" not in sent(google, "events.insert")[0].json


@pytest.fixture
def api_key(google, settings):
    """An API key that may read the administrator's public calendar."""
    settings.CALENDAR_ID = TEACHER_EMAIL
    settings.CALENDAR_API_KEY = "AIza-secret"
    google.add_person(TEACHER_EMAIL)
    google.api_keys = {"AIza-secret"}
    google.public = True
    return "AIza-secret"


def test_api_key_travels_in_a_header(google, api_key):
    google.add_event(TEACHER_EMAIL, start=NOW)

    slots = get_calendar(refresh_token=None).upcoming_events(since=NOW)

    [request] = google.requests
    assert len(slots) == 1
    assert request.headers["X-Goog-Api-Key"] == api_key
    assert request.headers["Authorization"] is None
    assert api_key not in request.path + str(request.query)


def test_api_key_is_not_used_to_write(google, api_key, token, draft):
    get_calendar(refresh_token=token).create_event(draft)

    assert all(request.headers["X-Goog-Api-Key"] is None for request in google.requests)


@pytest.mark.parametrize("code", [400, 401, 404])
def test_api_key_that_is_refused_leaves_it_to_the_grant(google, api_key, token, code):
    google.add_event(TEACHER_EMAIL, start=NOW)
    google.fault("events.list", Fault.status(code))

    slots = get_calendar(refresh_token=token).upcoming_events(since=NOW)

    assert len(slots) == 1
    assert [request.route for request in google.requests] == ["events.list", "token", "events.list"]


def test_api_key_is_not_sent_after_a_redirect(google, api_key):
    google.fault("events.list", Fault.status(302, headers={"Location": f"{google.url}/elsewhere"}))

    with pytest.raises(CalendarUnavailableError):
        get_calendar(refresh_token=None).upcoming_events(since=NOW)

    assert len(google.requests) == 1
