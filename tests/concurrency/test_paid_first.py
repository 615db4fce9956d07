"""A paid class is scheduled at the moment at which another person holds its time.

The class always gets it, and no live hold is left beside it.
"""

from functools import partial

import pytest
from django.utils import timezone

from bookings.domain.classes import times
from bookings.domain.classes.scheduling import schedule_class
from bookings.domain.exceptions import SlotTakenError
from bookings.domain.queries import list_holds_over
from bookings.domain.sales import holds
from bookings.domain.sales.holds import keep_time
from bookings.models import Hold, Notice, NoticeKind, VirtualClass
from tests.concurrency.racing import LONG_PATIENCE, SHORT_PATIENCE, Gate, race
from tests.factories import HoldFactory, UserFactory, VirtualClassFactory

pytestmark = pytest.mark.concurrency


@pytest.fixture
def paid(teacher, google, host):
    """A class that is paid and not in the calendar yet."""
    return VirtualClassFactory(booked_by=host, paid_at=timezone.now())


def hold_it(user, virtual_class):
    return keep_time(
        HoldFactory.build(user=user, start_time=virtual_class.start_time, class_type="grupal")
    )


def race_for(virtual_class, people, monkeypatch, patience=SHORT_PATIENCE):
    """Have the class claim its time, and holds be checked, before any of them is written."""
    gate = Gate(2, patience)

    def wait_and(step):
        def run(*args, **kwargs):
            gate.wait()
            return step(*args, **kwargs)

        return run

    monkeypatch.setattr(times, "list_holds_over", wait_and(times.list_holds_over))
    monkeypatch.setattr(holds, "list_scheduled_between", wait_and(holds.list_scheduled_between))
    return race(
        partial(schedule_class, preference_id=virtual_class.preference_id),
        *[partial(hold_it, person, virtual_class) for person in people],
    )


@pytest.mark.parametrize("count", [1, 3])
def test_a_paid_class_and_a_hold_at_the_same_moment(paid, monkeypatch, count):
    people = [UserFactory() for _ in range(count)]

    scheduled, *held = race_for(paid, people, monkeypatch)

    assert isinstance(scheduled, VirtualClass), scheduled
    assert VirtualClass.objects.get(pk=paid.pk).is_scheduled
    assert not Hold.objects.exists()
    unexpected = [one for one in held if not isinstance(one, Hold | SlotTakenError)]
    assert unexpected == []
    # Who was told to have the time, reads that it is gone.
    told = Notice.objects.filter(kind=NoticeKind.HOLD_LOST).count()
    assert told == sum(isinstance(one, Hold) for one in held)


def test_a_hold_that_is_stored_while_a_paid_class_claims_its_time_ends(paid, monkeypatch):
    """The hold is committed after the claim has ended those that it saw, before it looks again."""
    if _is_sqlite():
        pytest.skip("SQLite has one writer at a time")
    person, end_unpaid, held = UserFactory(), times.end_unpaid, []

    def end_and_let_another_in(*args):
        end_unpaid(*args)
        if not held:
            held.extend(race(partial(hold_it, person, paid)))

    monkeypatch.setattr(times, "end_unpaid", end_and_let_another_in)

    assert schedule_class(preference_id=paid.preference_id).is_scheduled

    assert [type(one) for one in held] == [Hold]
    assert not Hold.objects.exists()
    assert Notice.objects.get(kind=NoticeKind.HOLD_LOST).user == person


def test_without_the_claim_a_hold_may_stay_beside_the_class(paid, monkeypatch):
    if _is_sqlite():
        pytest.skip("SQLite has one writer at a time")

    def look_only(locked, now, *, ends_holds):
        # Looked before the gate: the hold is not committed yet, which the claim would wait for.
        assert not list_holds_over(locked).exists()
        times.list_holds_over(locked)

    monkeypatch.setattr("bookings.domain.classes.scheduling.claim_time", look_only)

    scheduled, held = race_for(paid, [UserFactory()], monkeypatch, LONG_PATIENCE)

    assert scheduled.is_scheduled
    assert Hold.objects.get() == held


def _is_sqlite():
    from django.db import connection

    return connection.vendor == "sqlite"
