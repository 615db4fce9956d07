"""sweeps.py and ``manage.py sweep``: what was left is done, and nothing twice."""

from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
import time_machine
from django.core import mail
from django.core.management import CommandError, call_command
from django.utils import timezone

from bookings import sweeps
from bookings.models import ClassStatus, Heartbeat, Hold, VirtualClass
from bookings.sweeps import SCHEDULING_GRACE, finish_requested_schedulings, sweep
from tests.factories import VirtualClassFactory
from tests.standins import Fault

LONG_AGO = timedelta(minutes=5)
NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


def interrupted(host, *, day=1, since=LONG_AGO):
    """Store a class whose scheduling was asked for and not finished."""
    return VirtualClassFactory(
        booked_by=host,
        start_time=timezone.now() + timedelta(days=day),
        scheduling_requested_at=timezone.now() - since,
    )


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


def test_whoever_asked_a_moment_ago_may_finish_it_alone(host, teacher, google):
    interrupted(host, since=SCHEDULING_GRACE / 2)

    assert (finish_requested_schedulings(), google.requests) == (0, [])


def test_a_refusal_keeps_no_other_class(host, teacher, caplog):
    taken = interrupted(host)
    VirtualClassFactory(scheduled=True, owns_time=True, start_time=taken.start_time)
    other = interrupted(host, day=2, since=LONG_AGO / 2)

    assert finish_requested_schedulings() == 1

    other.refresh_from_db()
    assert other.is_scheduled
    assert f"Class {taken.pk} cannot be scheduled: slot_taken" in caplog.text


def test_a_calendar_that_is_down_is_not_asked_for_every_class(host, teacher, google):
    for day in range(1, 6):
        interrupted(host, day=day)
    google.revoke(teacher.provider_refresh_token)

    assert finish_requested_schedulings() == 0

    asked = [one for one in google.requests if one.route == "token"]
    assert len(asked) == sweeps.FAILURES_IN_A_ROW


def test_a_sweep_does_everything_once(host, teacher):
    interrupted(host)
    now = timezone.now()
    Hold.objects.create(
        user=host, start_time=now, end_time=now + LONG_AGO, class_type="grupal", expires_at=now
    )

    results = sweep()

    assert results == {
        "delete_expired_holds": 1,
        "process_notifications": 0,
        "send_due_refunds": 0,
        "settle_due_payments": 0,
        "expire_payments": 0,
        "finish_requested_schedulings": 1,
        "update_events": 0,
        "withdraw_events": 0,
        "complete_ended_classes": 0,
        "pass_on_offers": 0,
        "plan_missing_reminders": 0,
        "send_due_notices": 1,
        "forget_notifications": 0,
    }
    assert [letter.to for letter in mail.outbox] == [[host.email]]


def test_the_command_runs_the_sweeps_and_says_what_they_did(db):
    output = StringIO()

    call_command("sweep", "--once", stdout=output)

    assert output.getvalue().splitlines() == [
        "delete_expired_holds: 0",
        "process_notifications: 0",
        "send_due_refunds: 0",
        "settle_due_payments: 0",
        "expire_payments: 0",
        "finish_requested_schedulings: 0",
        "update_events: 0",
        "withdraw_events: 0",
        "complete_ended_classes: 0",
        "pass_on_offers: 0",
        "plan_missing_reminders: 0",
        "send_due_notices: 0",
        "forget_notifications: 0",
    ]


def test_the_command_fails_when_a_sweep_does_and_runs_the_others(db, monkeypatch):
    def broken():
        raise RuntimeError

    monkeypatch.setattr(
        sweeps, "SWEEPS", dict.fromkeys((broken, sweeps.send_due_notices), sweeps.MINUTE)
    )
    output = StringIO()

    with pytest.raises(CommandError):
        call_command("sweep", "--once", stdout=output)

    assert output.getvalue().splitlines() == ["broken: failed", "send_due_notices: 0"]


def test_sweep_leaves_a_heartbeat(db):
    with time_machine.travel(NOON, tick=False):
        sweep()

    beat = Heartbeat.objects.get(name="delete_expired_holds")
    assert (beat.beat_at, beat.count, beat.failed_at, beat.failure) == (NOON, 0, None, "")


def test_failure_is_written_beside_the_last_beat(db):
    def work():
        return 7

    def broken():
        raise RuntimeError("a secret")

    broken.__name__ = work.__name__
    with time_machine.travel(NOON, tick=False):
        sweeps.run_sweep(work)
    with time_machine.travel(NOON + LONG_AGO, tick=False):
        sweeps.run_sweep(broken)

    beat = Heartbeat.objects.get(name="work")
    assert (beat.beat_at, beat.count) == (NOON, 7)
    assert (beat.failed_at, beat.failure) == (NOON + LONG_AGO, "RuntimeError")


def test_next_beat_ends_a_failure(db):
    Heartbeat.objects.create(name="send_due_notices", failed_at=NOON, failure="RuntimeError")

    sweeps.run_sweep(sweeps.send_due_notices)

    beat = Heartbeat.objects.get()
    assert (beat.failed_at, beat.failure) == (NOON, "")


def test_classes_that_the_calendar_refuses_hold_up_no_other(host, teacher, google):
    for day in range(1, 4):
        interrupted(host, day=day, since=LONG_AGO * 2)
    google.fault("events.insert", *[Fault.status(400)] * 3)
    healthy = interrupted(host, day=4)

    finish_requested_schedulings()

    healthy.refresh_from_db()
    assert healthy.is_scheduled
