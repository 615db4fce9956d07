"""The cached list: one call for everybody, never an old list after a write of ours."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import ClassVar

import pytest
import time_machine
from django.core.cache import cache
from django.db import connections

from calendar_sync import (
    BusySlot,
    CalendarError,
    CalendarNotConnectedError,
    CalendarRefusedError,
    CalendarUnavailableError,
    forget_upcoming_events,
    listing,
    read_listing,
)
from config.lib.provider_calls import ProviderGuard
from tests.standins import Fault

pytestmark = pytest.mark.django_db(transaction=True)

START = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=1)
SLOT = BusySlot(START, START + timedelta(hours=1), "confirmed", "UTC", None)
FAILURES = [
    CalendarUnavailableError("down"),
    CalendarNotConnectedError("revoked"),
    CalendarRefusedError("no"),
]
LATER = BusySlot(START + timedelta(hours=2), START + timedelta(hours=3), "tentative")


class GatedCalendar:
    """Reads its slots at once and answers when the gate opens."""

    failure: ClassVar[CalendarError | None] = None
    slots: ClassVar[list[BusySlot]] = []
    calls: ClassVar[int] = 0
    asked: ClassVar[threading.Event] = threading.Event()
    gate: ClassVar[threading.Event] = threading.Event()

    def __init__(self, *, refresh_token: str | None) -> None:
        pass

    @classmethod
    def reset(cls) -> None:
        cls.slots, cls.failure = [], None
        cls.calls = 0
        cls.asked.clear()
        cls.gate.clear()

    def upcoming_events(self, *, since: datetime, limit: int | None = None) -> list[BusySlot]:
        cls = type(self)
        cls.calls += 1
        found = list(cls.slots)
        cls.asked.set()
        assert cls.gate.wait(5)
        if cls.failure:
            raise cls.failure
        return found


def upcoming_events(token=None):
    """Give what a reader is told."""
    return read_listing(find_refresh_token=lambda: token)


def listings(google):
    return [request for request in google.requests if request.route == "events.list"]


@pytest.fixture
def gated(settings):
    """A calendar whose answers wait for the test."""
    settings.CALENDAR_BACKEND = "tests.calendar_sync.test_listing.GatedCalendar"
    GatedCalendar.reset()
    return GatedCalendar


def test_listing_asks_the_provider_once(google, token):
    google.add_event(start=START)

    first = upcoming_events(token)
    second = upcoming_events(token)

    assert first == second
    assert len(first) == 1
    assert len(listings(google)) == 1


def test_listing_ignores_what_the_previous_release_kept(google, token):
    google.add_event(start=START)
    cache.set("calendar_sync.upcoming", (("3", "0f2a"), []), timeout=75)

    assert [slot.start for slot in upcoming_events(token)] == [START]


def test_listing_asks_again_when_the_time_is_over(google, token, settings):
    settings.CALENDAR_CACHE_SECONDS = 15
    upcoming_events(token)
    google.add_event(start=START)

    with time_machine.travel(datetime.now(UTC) + timedelta(seconds=16)):
        slots = upcoming_events(token)

    assert len(slots) == 1


def test_listing_leaves_out_what_ended_meanwhile(gated, settings):
    settings.CALENDAR_CACHE_SECONDS = 86_400
    gated.slots = [SLOT, LATER]
    gated.gate.set()
    upcoming_events()

    with time_machine.travel(SLOT.end):
        slots = upcoming_events()

    assert slots == [LATER]
    assert gated.calls == 1


def test_listing_keeps_no_error(google, token):
    google.fault("events.list", Fault.status(403))
    with pytest.raises(CalendarRefusedError):
        upcoming_events(token)

    assert upcoming_events(token) == []


def test_forget_upcoming_events_makes_the_next_reader_ask(google, token):
    assert upcoming_events(token) == []
    google.add_event(start=START)

    forget_upcoming_events()

    assert [slot.start for slot in upcoming_events(token)] == [START]


@pytest.mark.concurrency
def test_listing_is_asked_once_for_many_threads(google, token):
    google.add_event(start=START)
    google.fault("events.list", Fault.delay(0.3))

    outcomes = in_threads(20, lambda: upcoming_events(token))

    assert [len(slots) for slots in outcomes] == [1] * 20
    assert len(listings(google)) == 1


@pytest.mark.concurrency
def test_a_call_that_began_before_a_write_brings_no_old_list_back(gated):
    with ThreadPoolExecutor(1) as pool:
        old = pool.submit(in_thread, upcoming_events)
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
        old = pool.submit(in_thread, upcoming_events)
        assert gated.asked.wait(5)
        gated.asked.clear()
        gated.slots = [SLOT]
        forget_upcoming_events()
        new = pool.submit(in_thread, upcoming_events)
        assert gated.asked.wait(5)
        gated.gate.set()

        assert new.result(5) == [SLOT]
        assert old.result(5) == []

    assert upcoming_events() == [SLOT]


@pytest.fixture
def impatient(monkeypatch):
    """Readers who wait a tenth of a second for each other."""
    quick = ProviderGuard(timedelta(seconds=0.1), pause=timedelta(seconds=5))
    monkeypatch.setattr(listing, "guard", quick)


@pytest.mark.concurrency
def test_listing_does_not_wait_for_ever(gated, impatient):
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(in_thread, upcoming_events)
        assert gated.asked.wait(5)

        with pytest.raises(CalendarUnavailableError):
            upcoming_events()

        gated.gate.set()
        assert slow.result(5) == []


@pytest.fixture
def expired(gated, settings):
    """A list with one event that was read 16 seconds ago, and a provider that is slow to answer."""
    settings.CALENDAR_CACHE_SECONDS, settings.CALENDAR_STALE_SECONDS = 15, 60
    gated.slots = [SLOT]
    gated.gate.set()
    upcoming_events()
    gated.gate.clear()
    gated.asked.clear()
    gated.slots = [SLOT, LATER]
    with time_machine.travel(datetime.now(UTC) + timedelta(seconds=16)):
        yield gated


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: type(failure).__name__)
def test_list_that_cannot_be_renewed_is_served_a_minute_longer(gated, settings, failure):
    settings.CALENDAR_CACHE_SECONDS, settings.CALENDAR_STALE_SECONDS = 15, 60
    began = datetime.now(UTC)
    gated.slots = [SLOT]
    gated.gate.set()
    upcoming_events()
    gated.failure = failure

    for seconds in (16, 40, 74):
        with time_machine.travel(began + timedelta(seconds=seconds)):
            assert upcoming_events() == [SLOT]
    with time_machine.travel(began + timedelta(seconds=76)), pytest.raises(type(failure)):
        upcoming_events()


def test_list_of_before_a_write_is_better_than_none(gated):
    gated.slots = [SLOT]
    gated.gate.set()
    upcoming_events()
    forget_upcoming_events()
    gated.failure = CalendarUnavailableError("down")

    assert upcoming_events() == [SLOT]


@pytest.mark.concurrency
def test_others_get_the_earlier_list_while_one_renews_it(expired):
    with ThreadPoolExecutor(1) as pool:
        renewing = pool.submit(in_thread, upcoming_events)
        assert expired.asked.wait(5)
        began = time.monotonic()

        for _ in range(20):
            assert upcoming_events() == [SLOT]

        assert time.monotonic() - began < 0.5
        expired.gate.set()
        assert renewing.result(5) == [SLOT, LATER]
    assert upcoming_events() == [SLOT, LATER]
    assert listing.guard.patience


def in_thread(work):
    """Run ``work`` in a thread of a pool; close its connection to the database."""
    try:
        return work()
    finally:
        connections.close_all()


def in_threads(count, work):
    """Run ``work`` in threads that start together; give what each returned."""
    start = threading.Barrier(count)

    def run(_):
        start.wait(5)
        return in_thread(work)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))
