"""How long an operation may take, whatever the provider does."""

import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from calendar_sync import CalendarUnavailableError
from calendar_sync.google.transport import Transport
from tests.calendar_sync.assertions import assert_repeating_makes_one_event
from tests.standins import Fault


def test_create_event_times_out(google, calendar, draft, settings):
    settings.CALENDAR_TIMEOUT = timedelta(seconds=0.1)
    google.fault("events.insert", *[Fault.delay(0.3)] * 3)

    with pytest.raises(CalendarUnavailableError):
        calendar.create_event(draft)

    wait_until(lambda: google.events())
    assert_repeating_makes_one_event(google, calendar, draft)


def test_create_event_gives_up_when_its_time_is_over(google, calendar, draft, settings):
    settings.CALENDAR_TIMEOUT = timedelta(seconds=0.9)
    settings.CALENDAR_BUDGET = timedelta(seconds=1)
    google.fault("events.insert", *[Fault.delay(2)] * 3)
    began = time.monotonic()

    with pytest.raises(CalendarUnavailableError):
        calendar.create_event(draft)

    assert 0.95 < time.monotonic() - began < 1.75


def test_create_event_does_not_wait_for_a_meeting_beyond_its_time(
    google, calendar, draft, settings, monkeypatch
):
    monkeypatch.setattr("calendar_sync.google.calendar.CONFERENCE_WAITS", (0.2,) * 50)
    settings.CALENDAR_BUDGET = timedelta(seconds=1.5)
    google.conference("pending", reads=100)
    began = time.monotonic()

    with pytest.raises(CalendarUnavailableError):
        calendar.create_event(draft)

    assert time.monotonic() - began < 5  # of ten seconds
    assert len(google.live_events()) == 1


def test_create_event_waits_as_long_as_it_is_told(google, calendar, draft):
    google.fault("events.insert", Fault.status(429, headers={"Retry-After": "1"}))
    began = time.monotonic()

    calendar.create_event(draft)

    assert time.monotonic() - began >= 1


def test_create_event_waits_until_the_date_it_is_told(google, calendar, draft):
    moment = datetime.now(UTC) + timedelta(seconds=2)
    headers = {"Retry-After": format_datetime(moment, usegmt=True)}
    google.fault("events.insert", Fault.status(503, headers=headers))

    calendar.create_event(draft)

    assert datetime.now(UTC) >= moment.replace(microsecond=0)


@pytest.mark.parametrize("value", ["soon", "-5", "1e9", "Fri, 20 Nov 2026 11:00:00 -0000", "٣"])
def test_create_event_passes_over_a_useless_wait(google, calendar, draft, value):
    value = value.encode().decode("latin-1")
    google.fault("events.insert", Fault.status(503, headers={"Retry-After": value}))

    assert calendar.create_event(draft)


def test_create_event_does_not_try_again_when_told_to_wait_too_long(google, calendar, draft):
    google.fault("events.insert", Fault.status(503, headers={"Retry-After": "3600"}))

    with pytest.raises(CalendarUnavailableError):
        calendar.create_event(draft)

    assert [request.route for request in google.requests] == ["token", "events.insert"]


def test_create_event_times_out_at_the_token_endpoint(google, calendar, draft, settings):
    settings.CALENDAR_TIMEOUT = timedelta(seconds=0.1)
    google.fault("token", *[Fault.delay(0.3)] * 3)

    with pytest.raises(CalendarUnavailableError):
        calendar.create_event(draft)

    assert google.events() == []


def test_upcoming_events_has_one_time_out_in_all(google, calendar, draft, settings):
    settings.CALENDAR_TIMEOUT = timedelta(seconds=0.6)
    google.fault("events.list", *[Fault.delay(2)] * 3)
    began = time.monotonic()

    with pytest.raises(CalendarUnavailableError):
        calendar.upcoming_events(since=draft.start)

    assert time.monotonic() - began < 1.6


def test_transport_sends_nothing_without_time(google):
    with pytest.raises(TimeoutError):
        Transport(timedelta(0)).request(google.calendar_url)

    assert google.requests == []


def wait_until(condition, seconds=2.0):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
