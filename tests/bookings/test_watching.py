"""domain/calendar/repairing.py: the calendar is compared within minutes, and never misread."""

from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from accounts.services import remember_refresh_token
from bookings.domain.calendar import repairing
from bookings.domain.calendar.repairing import COMPARED, compare_calendar, keep_push_channel
from bookings.models import Notice, NoticeKind, VirtualClass, read_beats
from bookings.work.sweeps import SWEEPS, sweep
from calendar_sync.models import WatchChannel
from tests.bookings.drifts import (
    DRIFTS,
    delete,
    dump,
    event_of,
    link_of,
    move,
    scheduled_classes,
)
from tests.standins import Fault

FAULTS = {
    "500": Fault.status(500),
    "reset": Fault.reset(),
    "401": Fault.status(401),
}


@pytest.fixture
def scheduled(host, teacher, google):
    return scheduled_classes(1, booked_by=host)[0]


def later(minutes):
    return time_machine.travel(timezone.now() + timedelta(minutes=minutes))


def calls(google, route):
    return [request.route for request in google.requests].count(route)


@pytest.mark.parametrize("kind", DRIFTS)
def test_a_change_by_hand_is_noticed_and_repaired_by_the_next_comparison(scheduled, google, kind):
    with later(5):
        DRIFTS[kind](google, scheduled)

        assert [compare_calendar(), compare_calendar()] == [1, 0]


def test_our_own_changes_are_no_drift(scheduled, google, host):
    scheduled_classes(2, days_from_now=5, booked_by=host)

    assert compare_calendar() == 0
    assert not Notice.objects.filter(kind=NoticeKind.CALENDAR_CHANGED).exists()


def test_a_class_that_waits_to_be_moved_by_us_is_no_drift(scheduled, google):
    VirtualClass.objects.update(event_update_requested_at=timezone.now())
    move(google, scheduled)

    assert compare_calendar() == 0


def test_nothing_new_costs_one_request(scheduled, google):
    google.add_event(summary="Dentista")
    before = len(google.requests)

    compare_calendar()

    assert len(google.requests) == before + 1


def test_a_comparison_that_fails_half_way_changes_nothing(scheduled, google):
    move(google, scheduled)
    google.fault("events.list", Fault.delay(0), *[Fault.status(503)] * 3)

    assert compare_calendar() == 0
    assert VirtualClass.objects.get().calendar_drift == ""
    assert read_beats().get(COMPARED) is None
    assert compare_calendar() == 1


def test_what_could_not_be_repaired_is_tried_again(scheduled, google):
    move(google, scheduled)
    google.fault("events.patch", *[Fault.status(503)] * 3)

    assert compare_calendar() == 1
    assert VirtualClass.objects.get().calendar_drift == "moved"
    assert compare_calendar() == 1
    assert VirtualClass.objects.get().calendar_drift == ""
    assert Notice.objects.filter(kind=NoticeKind.CALENDAR_CHANGED).count() == 1


def test_a_deleted_event_comes_back_with_its_link(scheduled, google):
    with later(5):
        delete(google, scheduled)

        assert compare_calendar() == 1

    stored = VirtualClass.objects.get()
    assert stored.html_link == link_of(event_of(google, stored))


def test_a_grant_that_is_known_to_be_dead_is_not_tried(scheduled, google, teacher):
    teacher.provider_token_revoked_at = timezone.now()
    teacher.save()
    before = len(google.requests)

    assert (compare_calendar(), keep_push_channel()) == (0, 0)
    assert len(google.requests) == before


def test_a_calendar_that_nobody_connected_is_left_alone(db, google):
    assert (compare_calendar(), keep_push_channel()) == (0, 0)
    assert google.requests == []


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_an_hour_of_failure_changes_nothing(teacher, google, fault):
    """Every sweep of the calendar for an hour, while one of two events is really gone."""
    gone, _ = scheduled_classes(2)
    keep_push_channel()
    compare_calendar()
    delete(google, gone)
    rows, events = dump(), google.events()
    start = timezone.now()

    for route in ("events.list", "events.get", "events.insert", "events.watch"):
        google.fault(route, *[fault] * 200)
    for minutes in (5, 60):
        with time_machine.travel(start + timedelta(minutes=minutes)):
            compare_calendar()
            keep_push_channel()

    assert (dump(), google.events()) == (rows, events)
    google.heal()
    with time_machine.travel(start + timedelta(minutes=70)):
        assert compare_calendar() == 1
    assert len(google.live_events()) == 2


def test_a_message_has_the_calendar_compared(scheduled, google, teacher, settings, monkeypatch):
    """From the hand in the calendar to the repaired event, by push alone."""
    settings.BASE_URL = "https://clases.example"
    assert keep_push_channel() == 1
    settings.BASE_URL = "http://testserver"
    monkeypatch.setattr(repairing, "job", Inline(compare_calendar))
    google.take_notices()
    move(google, scheduled)
    [message] = google.take_notices()

    answer = Client().post("/api/webhooks/calendar", headers=message)

    assert answer.status_code == 204
    [event] = google.live_events()
    assert event["start"]["dateTime"].startswith(
        timezone.localtime(scheduled.start_time).strftime("%Y-%m-%dT%H:%M:%S")
    )


def test_a_deletion_right_after_our_write_is_noticed_once_that_is_settled(scheduled, google):
    VirtualClass.objects.update(updated_at=timezone.now())
    delete(google, scheduled)
    with later(minutes=1):
        too_soon = compare_calendar()

    with later(minutes=5):
        found = compare_calendar()

    assert (too_soon, found) == (0, 1)
    assert len(google.live_events()) == 1


def test_a_new_grant_opens_the_channel_at_once(
    teacher, google, settings, monkeypatch, django_capture_on_commit_callbacks
):
    settings.BASE_URL = "https://clases.example"
    monkeypatch.setattr(repairing, "channel_job", Inline(keep_push_channel))
    type(teacher).objects.update(provider_refresh_token="")

    with django_capture_on_commit_callbacks(execute=True):
        remember_refresh_token(user=teacher, refresh_token=google.grant(teacher.email))

    assert calls(google, "events.watch") == WatchChannel.objects.count() == 1


def test_the_sweeps_compare_and_keep_the_channel(scheduled, google, settings):
    settings.BASE_URL = "https://clases.example"

    results = sweep()

    assert None not in results.values()
    assert WatchChannel.objects.count() == 1
    assert [SWEEPS[run] // timedelta(minutes=1) for run in SWEEPS if run.__module__ == NAME] == [
        5,
        1440,
    ]


NAME = "bookings.domain.calendar.repairing"


class Inline:
    """An errand that is done at once, in the thread that calls."""

    def __init__(self, work):
        self.call = work
