"""sweeps.py and ``manage.py sweep``: what was left is done, and nothing twice."""

from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
import time_machine
from django.core import mail
from django.core.management import CommandError, call_command
from django.utils import timezone

from bookings.models import Heartbeat
from bookings.work import sweeps
from bookings.work.sweeps import sweep
from tests.api.database_faults import failing
from tests.factories import HoldFactory, VirtualClassFactory

LONG_AGO = timedelta(minutes=5)
NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


def interrupted(host, *, day=1, since=LONG_AGO):
    """Store a class whose scheduling was asked for and not finished."""
    return VirtualClassFactory(
        booked_by=host,
        start_time=timezone.now() + timedelta(days=day),
        scheduling_requested_at=timezone.now() - since,
    )


def test_a_sweep_does_everything_once(host, teacher):
    interrupted(host)
    now = timezone.now()
    HoldFactory(
        user=host, start_time=now, end_time=now + LONG_AGO, class_type="grupal", expires_at=now
    )

    results = sweep()

    nothing = dict.fromkeys((run.__name__ for run in sweeps.SWEEPS), 0)
    assert results == nothing | {
        "delete_old_rows": 1,
        "finish_requested_schedulings": 1,
        "check_calendar_grant": 1,
        "send_due_notices": 2,  # the student's and the teacher's
    }
    assert [letter.to for letter in mail.outbox] == [[host.email], [teacher.email]]


def test_the_command_runs_the_sweeps_and_says_what_they_did(db):
    output = StringIO()

    call_command("sweep", "--once", stdout=output)

    assert output.getvalue().splitlines() == [f"{run.__name__}: 0" for run in sweeps.SWEEPS]


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


def test_rarer_sweeps_wait_for_their_time(db, monkeypatch):
    def often():
        return 0

    def daily():
        return 0

    day = timedelta(days=1)
    monkeypatch.setattr(sweeps, "SWEEPS", {often: sweeps.MINUTE, daily: day})

    done = []
    for moment in (NOON, NOON + LONG_AGO, NOON + day - LONG_AGO, NOON + day):
        with time_machine.travel(moment, tick=False):
            done.append(list(sweep()))

    assert done == [["often", "daily"], ["often"], ["often"], ["often", "daily"]]


def test_the_command_says_when_the_database_fails(db):
    with failing(), pytest.raises(CommandError, match="database"):
        call_command("sweep", "--once")


def test_sweep_leaves_a_heartbeat(db):
    with time_machine.travel(NOON, tick=False):
        sweep()

    beat = Heartbeat.objects.get(name="delete_old_rows")
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
