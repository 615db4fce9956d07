"""domain/classes/finishing.py: each requested scheduling is finished in the end."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from accounts.services import remember_refresh_token
from bookings.domain.calendar.grant import class_wait, note_outage
from bookings.domain.calendar.writing import REQUEST_GRACE, withdraw_events
from bookings.domain.classes import finishing
from bookings.domain.classes.finishing import finish_requested_schedulings
from bookings.domain.classes.scheduling import schedule_class
from bookings.models import (
    ClassStatus,
    Heartbeat,
    Payment,
    Purchase,
    Refund,
    RefundReason,
    VirtualClass,
)
from calendar_sync import CalendarUnavailableError, CreatedEvent
from tests.factories import OpenClassFactory, VirtualClassFactory
from tests.payments import make_payment

LONG_AGO = timedelta(minutes=5)
MINUTE = timedelta(minutes=1)
DOWN = CalendarUnavailableError("down")


class TroubledCalendar:
    """A calendar in memory that is down, or fails for some classes only; it counts its calls."""

    events: dict[str, str] = {}
    calls: list[str] = []
    failures: dict[str, Exception] = {}
    failure: Exception | None = None

    def __init__(self, *, refresh_token):
        """Need no grant."""

    @classmethod
    def fail_with(cls, failure):
        cls.failure = failure

    def create_event(self, draft):
        self.calls.append(draft.reference)
        self._fail_for(draft.reference)
        self.events[draft.event_id] = draft.reference
        address = f"https://meet.example/{draft.event_id}"
        return CreatedEvent(
            draft.event_id, draft.summary, draft.description, draft.start, draft.end, address
        )

    def delete_event(self, event_id, *, reference, named_by_provider=False):
        self._fail_for(reference)
        self.events.pop(event_id, None)

    def _fail_for(self, reference):
        if failure := self.failure or self.failures.get(reference):
            raise failure


def interrupted(host, *, day=1, since=LONG_AGO):
    return VirtualClassFactory(
        booked_by=host,
        start_time=timezone.now() + timedelta(days=day),
        scheduling_requested_at=timezone.now() - since,
    )


def interrupt_many(host, count):
    """Store such classes, in the order of their wishes."""
    return [interrupted(host, day=n + 1, since=LONG_AGO * (count - n)) for n in range(count)]


def sweep_every_minute(times):
    done = []
    for minute in range(1, times + 1):
        with time_machine.travel(timezone.now() + MINUTE * minute):
            done.append(finish_requested_schedulings())
    return done


@pytest.fixture
def calendar(settings):
    """The troubled calendar, healthy for now."""
    settings.CALENDAR_BACKEND = f"{TroubledCalendar.__module__}.TroubledCalendar"
    for kept in (TroubledCalendar.events, TroubledCalendar.calls, TroubledCalendar.failures):
        kept.clear()
    TroubledCalendar.fail_with(None)
    return TroubledCalendar


def fail_for(calendar, virtual_class, failure=DOWN):
    calendar.failures[str(virtual_class.pk)] = failure


def list_order(calendar):
    return list(calendar.events.values())


def test_an_interrupted_scheduling_is_finished_once(host, teacher, google):
    interrupted(host)

    counts = [finish_requested_schedulings(), finish_requested_schedulings()]

    assert counts == [1, 0]
    assert VirtualClass.objects.get().is_scheduled
    assert len(google.events()) == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"scheduling_requested_at": None},
        {"status": ClassStatus.CANCELLED},
        {"start_time": timezone.now() - LONG_AGO * 2, "end_time": timezone.now() - LONG_AGO},
    ],
    ids=["nobody asked", "cancelled", "over"],
)
def test_other_classes_are_left_alone(host, teacher, google, changes):
    interrupted(host)
    VirtualClass.objects.update(**changes)

    assert (finish_requested_schedulings(), google.requests) == (0, [])


@pytest.mark.parametrize(
    ("sale", "promised"),
    [
        ({"in_cash": timezone.now()}, [(1_500_000, "cash", RefundReason.CLASS_OVER)]),
        ({"class_price": 0, "state": "paid", "paid_at": timezone.now()}, []),
        ({"is_sold": False}, []),
    ],
    ids=["paid by hand", "free", "published"],
)
def test_class_that_ended_unscheduled_is_given_up_during_an_outage(host, calendar, sale, promised):
    missed = VirtualClassFactory(booked_by=host, ended=True, **sale)
    if not missed.purchase:
        OpenClassFactory(virtual_class=missed)
    note_outage(DOWN)

    finish_requested_schedulings()

    missed.refresh_from_db()
    assert missed.status == ClassStatus.CANCELLED
    assert list(Refund.objects.values_list("amount", "way", "reason")) == promised


def test_class_paid_online_that_ended_unscheduled_is_left_to_its_payment(mercadopago, host):
    ended_at = make_payment(host).purchase.booked_class.end_time
    Payment.objects.update(approved_at=timezone.now())
    Purchase.objects.update(state="paid", paid_at=timezone.now())
    with time_machine.travel(ended_at):
        finish_requested_schedulings()

    assert VirtualClass.objects.get().status == ClassStatus.PENDING


def test_whoever_asked_a_moment_ago_may_finish_it_alone(host, teacher, google):
    interrupted(host, since=REQUEST_GRACE / 2)

    assert (finish_requested_schedulings(), google.requests) == (0, [])


def test_a_refusal_keeps_no_other_class(host, teacher, caplog):
    taken = interrupted(host)
    VirtualClassFactory(scheduled=True, owns_time=True, start_time=taken.start_time)
    other = interrupted(host, day=2, since=LONG_AGO / 2)

    assert finish_requested_schedulings() == 1

    other.refresh_from_db()
    assert other.is_scheduled
    assert f"Class {taken.pk} is not scheduled yet: slot_taken" in caplog.text


def test_class_waits_longer_each_time_and_never_the_same():
    waits = [class_wait(attempts, DOWN) / MINUTE for attempts in (1, 2, 3, 20)]

    assert [0.75 <= waits[0] <= 1.25, 1.5 <= waits[1] <= 2.5, 3 <= waits[2] <= 5] == [True] * 3
    assert waits[3] <= 30 * 1.25
    assert len({class_wait(1, DOWN) for _ in range(10)}) > 1


def test_class_that_fails_is_not_asked_for_until_its_time(host, calendar):
    virtual_class = interrupted(host)
    fail_for(calendar, virtual_class)

    done = [finish_requested_schedulings(), finish_requested_schedulings()]

    virtual_class.refresh_from_db()
    assert (done, len(calendar.calls)) == ([0, 0], 1)
    assert virtual_class.scheduling_attempts == 1
    assert virtual_class.next_scheduling_at > timezone.now()


def test_hour_of_outage_costs_few_calls_and_ends_for_all_in_order(host, calendar):
    """Classes that failed all the time come before later wishes."""
    waiting = interrupt_many(host, 8)
    calendar.fail_with(DOWN)

    assert sweep_every_minute(60) == [0] * 60
    assert len(calendar.calls) <= 20

    calendar.fail_with(None)
    with time_machine.travel(timezone.now() + MINUTE * 66):
        later = [interrupted(host, day=9 + n, since=MINUTE * (3 - n)) for n in range(2)]
        assert finish_requested_schedulings() == 10
    # The class whose turn it was tried it out; the others follow in order.
    trial, *others = list_order(calendar)
    assert others == [str(one.pk) for one in [*waiting, *later] if str(one.pk) != trial]


def test_somebody_s_success_ends_the_waiting_of_all(host, calendar):
    waiting = interrupt_many(host, 5)
    calendar.fail_with(DOWN)
    finish_requested_schedulings()
    calendar.fail_with(None)

    schedule_class(preference_id=waiting[4].preference_id)

    assert finish_requested_schedulings() == 4


def test_known_outage_is_left_alone_by_those_who_need_not_know(host, calendar):
    waiting = interrupt_many(host, 4)
    calendar.fail_with(DOWN)
    finish_requested_schedulings()
    calendar.calls.clear()

    with pytest.raises(CalendarUnavailableError):
        schedule_class(preference_id=waiting[3].preference_id, during_outage=False)

    assert calendar.calls == []


def test_nothing_is_withdrawn_during_an_outage(host, calendar):
    interrupt_many(host, 3)
    calendar.fail_with(DOWN)
    finish_requested_schedulings()
    calendar.fail_with(None)
    cancelled = VirtualClassFactory(
        status=ClassStatus.CANCELLED, withdrawal_requested_at=timezone.now()
    )

    assert withdraw_events() == 0

    Heartbeat.objects.update(paused_until=timezone.now())
    assert withdraw_events() == 1
    cancelled.refresh_from_db()
    assert cancelled.withdrawal_requested_at is None


def test_revoked_grant_is_asked_with_once(host, teacher, google):
    interrupt_many(host, 3)
    google.revoke(teacher.provider_refresh_token)

    done = [finish_requested_schedulings(), *sweep_every_minute(10)]

    assert done == [0] * 11
    assert [one.route for one in google.requests] == ["token"]
    assert not VirtualClass.objects.exclude(next_scheduling_at=None).exists()


def test_reconnecting_resumes_at_once(
    host, teacher, google, monkeypatch, django_capture_on_commit_callbacks
):
    called = []
    monkeypatch.setattr(finishing.job, "call", lambda: called.append(True))
    with django_capture_on_commit_callbacks(execute=True):
        remember_refresh_token(user=teacher, refresh_token=google.grant(teacher.email))

    assert called == [True]
