"""Many processes at once that find the same drift: one of them tells it and mends it."""

from functools import partial
from unittest.mock import ANY

import pytest

from bookings.domain.calendar import repairing
from bookings.domain.calendar.comparing import compare_all
from bookings.domain.calendar.repairing import reconcile
from bookings.models import ClassEvent, ClassLog, Notice, NoticeKind, VirtualClass
from tests.bookings.drifts import DRIFTS, event_of, link_of, scheduled_classes
from tests.concurrency.racing import SHORT_PATIENCE, Gate, race

pytestmark = [pytest.mark.concurrency, pytest.mark.usefixtures("teacher")]
RACERS = 3


@pytest.fixture
def all_have_looked(monkeypatch):
    """Nobody writes a drift down before everybody has seen it."""
    gate = Gate(RACERS, SHORT_PATIENCE)
    note = repairing.record_drift

    def note_together(*args, **options):
        gate.wait()
        return note(*args, **options)

    monkeypatch.setattr(repairing, "record_drift", note_together)


def told():
    return Notice.objects.filter(kind=NoticeKind.CALENDAR_CHANGED).count()


@pytest.mark.parametrize("kind", [kind for kind in DRIFTS if kind != "orphan"])
def test_a_drift_that_many_find_is_told_and_mended_once(google, host, all_have_looked, kind):
    [scheduled] = scheduled_classes(1, booked_by=host)
    DRIFTS[kind](google, scheduled)

    reports = race(*[partial(reconcile)] * RACERS)

    assert not [report for report in reports if isinstance(report, Exception)]
    assert told() == 1
    lines = ClassLog.objects.filter(event__in=[ClassEvent.EVENT_DRIFTED, ClassEvent.EVENT_REPAIRED])
    assert sorted(line.event for line in lines) == ["event_drifted", "event_repaired"]
    stored = VirtualClass.objects.get()
    assert stored.html_link == link_of(event_of(google, stored))
    assert len(google.live_events()) == 1
    assert compare_all().findings == []


def test_control_without_the_row_s_version_it_is_told_again(
    google, host, all_have_looked, monkeypatch
):
    monkeypatch.setattr(repairing, "read_version", lambda locked: ANY)
    [scheduled] = scheduled_classes(1, booked_by=host)
    DRIFTS["moved"](google, scheduled)

    race(*[partial(reconcile)] * RACERS)

    lines = ClassLog.objects.filter(event=ClassEvent.EVENT_REPAIRED)
    assert lines.count() > 1
