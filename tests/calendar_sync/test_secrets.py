"""Tokens, keys and addresses stay out of logs and out of error texts, causes included."""

import logging

import pytest

from calendar_sync import CalendarError, get_calendar
from tests.environment import TEACHER_EMAIL
from tests.standins import Fault

API_KEY = "AIza-secret-of-the-key"

FAULTS = {
    "401": [Fault.status(401)] * 3,
    "403": [Fault.status(403, "rateLimitExceeded")] * 3,
    "503": [Fault.status(503)] * 3,
    "page": [Fault.garbage()] * 3,
    "lost": [Fault.lost()] * 6,
}
TOKEN_FAULTS = {
    "revoked": [Fault.status(400, "invalid_grant")],
    "503": [Fault.status(503)] * 3,
    "leaking": [Fault.status(200, body={"id_token": "ya29.leaked", "scope": "x"})],
}


@pytest.fixture
def logs(caplog):
    """Everything the service would log, and more: our own loggers at DEBUG."""
    caplog.set_level(logging.INFO)
    caplog.set_level(logging.DEBUG, logger="calendar_sync")
    return caplog


@pytest.fixture(autouse=True)
def _addressed_calendar(settings):
    settings.CALENDAR_ID = TEACHER_EMAIL
    settings.CALENDAR_API_KEY = API_KEY


@pytest.mark.parametrize("faults", FAULTS.values(), ids=FAULTS.keys())
def test_failing_calls_tell_no_secret(google, calendar, token, make_draft, logs, faults):
    calendar.create_event(make_draft())  # there is something to change and to delete
    for route in ("events.insert", "events.patch", "events.list", "events.delete"):
        google.fault(route, *faults)

    text = told(calendar, make_draft(summary="Otra"), logs)

    assert text.count("A call failed.") >= 2
    assert_no_secret(text, token, make_draft())


@pytest.mark.parametrize("faults", TOKEN_FAULTS.values(), ids=TOKEN_FAULTS.keys())
def test_a_failing_token_endpoint_tells_no_secret(google, calendar, token, draft, logs, faults):
    google.fault("token", *faults)

    text = told(calendar, draft, logs)

    assert_no_secret(text, token, draft)


def test_dropped_events_tell_nothing_private(google, calendar, token, draft, logs):
    google.api_keys, google.public = {API_KEY}, True
    item = {"summary": draft.guests[0], "start": {"dateTime": draft.guests[0]}}
    google.fault("events.list", Fault.status(200, body={"items": [item]}))

    text = told(calendar, draft, logs)

    assert "Left out 1 calendar events" in text
    assert_no_secret(text, token, draft)


def told(calendar, draft, logs):
    """All that comes out of a round of calls: log lines and the errors with their causes."""
    keyed = get_calendar(refresh_token=None)
    for call in (
        lambda: calendar.create_event(draft),
        lambda: keyed.upcoming_events(since=draft.start),
        lambda: calendar.upcoming_events(since=draft.start),
        lambda: calendar.delete_event(draft.event_id, reference=draft.reference),
    ):
        try:
            call()
        except CalendarError:
            logging.getLogger("calendar_sync").exception("A call failed.")
    return logs.text


def assert_no_secret(text, token, draft):
    assert "A call failed." in text or "Left out" in text
    for secret in (token, "ya29.", "google-secret", API_KEY, TEACHER_EMAIL, draft.guests[0]):
        assert secret not in text
        assert secret.replace("@", "%40") not in text
