"""sweeps.py, domain/batches.py and manage.py sweep: what was left is done, and nothing twice."""

from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
import time_machine
from django.core import mail
from django.core.management import CommandError, call_command
from django.utils import timezone

from bookings.domain import batches
from bookings.models import Heartbeat
from bookings.work import sweeps
from bookings.work.sweeps import sweep
from tests.bookings.test_finishing import LONG_AGO, interrupted
from tests.factories import HoldFactory


def work_through(outcomes):
    """Work through rows that are true, false or raise; return the count and what was tried."""
    tried = []

    def work(outcome):
        tried.append(outcome)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return batches.work_through(outcomes, work, outage=OSError, name="Row"), tried


def test_a_batch_gives_way_once_its_time_is_over(monkeypatch):
    monkeypatch.setattr(batches, "SECONDS_IN_A_ROW", 0)

    assert work_through([True] * 9) == (1, [True])


def test_a_provider_that_is_down_is_not_asked_for_every_row(caplog):
    down = OSError("down")

    assert work_through([down, down, True, down, down, down, True])[0] == 1
    assert caplog.text.count("is put off: down") == 5


def test_a_bug_that_one_row_meets_stops_no_other(caplog):
    bug = ValueError("a bug")

    assert work_through([bug, bug, bug, bug, True, False, True])[0] == 2
    assert "failed." in caplog.text


NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


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
