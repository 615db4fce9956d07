"""The cached list: one call for everybody, never an old list after a write of ours."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.core.cache import cache

from calendar_sync import (
    BusySlot,
    CalendarRefusedError,
    CalendarUnavailableError,
    forget_upcoming_events,
    listing,
    read_listing,
)
from calendar_sync.listing import LIST_KEY
from calendar_sync.memory import MemoryCalendar
from tests.calendar_sync.backends import GatedCalendar
from tests.standins import Fault

START = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=1)
SLOT = BusySlot(START, START + timedelta(hours=1), "confirmed", "UTC", None)
LATER = BusySlot(START + timedelta(hours=2), START + timedelta(hours=3), "tentative")


def upcoming_events(token=None):
    """Give what a reader is told."""
    return read_listing(find_refresh_token=lambda: token).slots


def listings(google):
    return [request for request in google.requests if request.route == "events.list"]


@pytest.fixture
def gated(settings):
    """A calendar whose answers wait for the test."""
    settings.CALENDAR_BACKEND = "tests.calendar_sync.backends.GatedCalendar"
    GatedCalendar.reset()
    return GatedCalendar


@pytest.fixture
def memory(settings):
    """A calendar in memory."""
    settings.CALENDAR_BACKEND = "calendar_sync.memory.MemoryCalendar"
    return MemoryCalendar(refresh_token=None)


def test_listing_asks_the_provider_once(google, token):
    google.add_event(start=START)

    first = upcoming_events(token)
    second = upcoming_events(token)

    assert first == second
    assert len(first) == 1
    assert len(listings(google)) == 1


def test_listing_asks_again_when_the_time_is_over(google, token, settings):
    settings.CALENDAR_CACHE_SECONDS = 15
    upcoming_events(token)
    google.add_event(start=START)

    with time_machine.travel(datetime.now(UTC) + timedelta(seconds=16)):
        slots = upcoming_events(token)

    assert len(slots) == 1


def test_listing_without_caching_asks_each_time(google, token, settings):
    settings.CALENDAR_CACHE_SECONDS = 0

    upcoming_events(token)
    upcoming_events(token)

    assert len(listings(google)) == 2


def test_listing_leaves_out_what_ended_meanwhile(gated, settings):
    settings.CALENDAR_CACHE_SECONDS = 86_400
    gated.slots = [SLOT, LATER]
    gated.gate.set()
    upcoming_events()

    with time_machine.travel(SLOT.end):
        slots = upcoming_events()

    assert slots == [LATER]
    assert gated.calls == 1


def test_listing_are_kept_as_plain_values(gated):
    zone = ZoneInfo("America/Argentina/Buenos_Aires")
    gated.slots = [BusySlot(START.astimezone(zone), LATER.start, "confirmed", zone.key, zone.key)]
    gated.gate.set()

    first = upcoming_events()
    second = upcoming_events()

    _, rows = cache.get(LIST_KEY)
    assert [type(row) for row in rows] == [tuple]
    assert first == second == gated.slots
    assert second[0].start.isoformat() == gated.slots[0].start.isoformat()


def test_listing_keeps_no_error(google, token):
    google.fault("events.list", Fault.status(403))
    with pytest.raises(CalendarRefusedError):
        upcoming_events(token)

    assert upcoming_events(token) == []


def test_forget_upcoming_events_makes_the_next_reader_ask(memory, draft):
    assert upcoming_events() == []
    memory.create_event(draft)

    forget_upcoming_events()

    assert [slot.start for slot in upcoming_events()] == [draft.start]


@pytest.mark.concurrency
def test_listing_is_asked_once_for_many_threads(google, token):
    google.add_event(start=START)
    google.fault("events.list", Fault.delay(0.3))

    outcomes = in_threads(20, lambda: upcoming_events(token))

    assert [len(slots) for slots in outcomes] == [1] * 20
    assert len(listings(google)) == 1


@pytest.mark.concurrency
def test_listing_shares_the_error_too(google, token):
    google.fault("token", Fault.delay(0.3))
    google.fault("events.list", *[Fault.status(503)] * 3)

    def look():
        with pytest.raises(CalendarUnavailableError, match="503"):
            upcoming_events(token)

    in_threads(10, look)

    assert len(listings(google)) == 3
    assert upcoming_events(token) == []


@pytest.mark.concurrency
def test_a_call_that_began_before_a_write_brings_no_old_list_back(gated):
    with ThreadPoolExecutor(1) as pool:
        old = pool.submit(upcoming_events)
        assert gated.asked.wait(5)
        gated.slots = [SLOT]
        forget_upcoming_events()
        gated.gate.set()
        assert old.result(5) == []

    assert upcoming_events() == [SLOT]
    assert gated.calls == 2


@pytest.mark.concurrency
def test_a_reader_after_a_write_does_not_join_the_call_before_it(gated):
    with ThreadPoolExecutor(2) as pool:
        old = pool.submit(upcoming_events)
        assert gated.asked.wait(5)
        gated.asked.clear()
        gated.slots = [SLOT]
        forget_upcoming_events()
        new = pool.submit(upcoming_events)
        assert gated.asked.wait(5)
        gated.gate.set()

        assert new.result(5) == [SLOT]
        assert old.result(5) == []

    assert upcoming_events() == [SLOT]


@pytest.fixture
def impatient(monkeypatch):
    """Readers who wait a tenth of a second for each other."""
    monkeypatch.setattr(listing, "PATIENCE", timedelta(seconds=0.1))


@pytest.mark.concurrency
def test_listing_does_not_wait_for_ever(gated, impatient):
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(upcoming_events)
        assert gated.asked.wait(5)

        with pytest.raises(CalendarUnavailableError):
            upcoming_events()

        gated.gate.set()
        assert slow.result(5) == []


@pytest.mark.concurrency
def test_nobody_asks_while_a_slow_call_is_under_way(gated, impatient):
    with ThreadPoolExecutor(1) as pool:
        pool.submit(upcoming_events)
        assert gated.asked.wait(5)
        with pytest.raises(CalendarUnavailableError):
            upcoming_events()
        began = time.monotonic()

        for _ in range(50):
            with pytest.raises(CalendarUnavailableError):
                upcoming_events()

        assert time.monotonic() - began < 0.1
        gated.gate.set()


def test_a_slow_failure_keeps_callers_away_until_the_pause_is_over(google, token, impatient):
    google.fault("token", Fault.delay(0.2))
    google.fault("events.list", *[Fault.status(503)] * 3)
    with pytest.raises(CalendarUnavailableError):
        upcoming_events(token)
    asked = len(listings(google))

    with pytest.raises(CalendarUnavailableError, match="a moment ago"):
        upcoming_events(token)
    assert len(listings(google)) == asked

    google.heal()
    listing.circuit._open_until = 0.0
    assert upcoming_events(token) == []
    assert not listing.circuit.is_suspect


def test_a_quick_failure_keeps_nobody_away(google, token):
    google.fault("events.list", *[Fault.status(503)] * 3)
    with pytest.raises(CalendarUnavailableError):
        upcoming_events(token)

    assert upcoming_events(token) == []


def in_threads(count, work):
    """Run ``work`` in threads that start together; give what each returned."""
    start = threading.Barrier(count)

    def run(_):
        start.wait(5)
        return work()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))
