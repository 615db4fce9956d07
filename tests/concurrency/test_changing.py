"""Moving, cancelling, leaving and joining at the same moment end in agreement.

Each promise has a control: the same race with its protection taken off, which must break it.
"""

import threading
from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from django.utils import timezone

from bookings.domain.classes import cancelling, changing
from bookings.domain.classes.cancelling import cancel_class, leave_class
from bookings.domain.classes.changing import reschedule_class
from bookings.domain.classes.scheduling import schedule_class
from bookings.domain.places.joining import join_class
from bookings.models import ClassEvent, ClassLog, UserActivity, VirtualClass
from tests.concurrency.racing import LONG_PATIENCE, SHORT_PATIENCE, Gate, race
from tests.factories import UserFactory, VirtualClassFactory

pytestmark = pytest.mark.concurrency

CODE = "ABCD2345"


@pytest.fixture
def morning():
    """Ten o'clock or so, in three days."""
    return (timezone.now() + timedelta(days=3)).replace(minute=0, second=0, microsecond=0)


@pytest.fixture
def make_class(teacher):
    def make(start, **more):
        pending = VirtualClassFactory(start_time=start, **more)
        return schedule_class(preference_id=pending.preference_id)

    return make


def move(virtual_class, teacher, start):
    return partial(reschedule_class, class_id=virtual_class.pk, actor=teacher, start=start)


def meet(monkeypatch, module, name, count, patience):
    """Have racers wait for each other after a check, as far as locks let them come."""
    gate, check = Gate(count, patience), getattr(module, name)

    def check_and_wait(*args, **kwargs):
        result = check(*args, **kwargs)
        gate.wait()
        return result

    monkeypatch.setattr(module, name, check_and_wait)


def agree(google):
    """Whether calendar and classes say the same times."""
    classes = VirtualClass.objects.filter(status="scheduled")
    ours = {one.provider_event_id: one.start_time.isoformat() for one in classes}
    events = {one["id"]: one["start"]["dateTime"] for one in google.live_events()}
    return {key: ours[key][:13] for key in ours} == {
        key: datetime.fromisoformat(value).astimezone(UTC).isoformat()[:13]
        for key, value in events.items()
    }


# --- Two classes, one time ------------------------------------------------------------------------


def race_for_one_time(make_class, teacher, morning, monkeypatch, patience=SHORT_PATIENCE):
    """Move two classes to the same time; tell whether one came and one was refused."""
    target = morning + timedelta(hours=9)
    classes = [make_class(morning + timedelta(hours=number * 2)) for number in (0, 1)]
    meet(monkeypatch, changing, "is_time_taken", 2, patience)

    results = race(*[move(one, teacher, target) for one in classes])

    kinds = Counter(type(result).__name__ for result in results)
    there = VirtualClass.objects.filter(start_time=target)
    return (kinds, there.count()) == ({"VirtualClass": 1, "SlotTakenError": 1}, 1)


def test_one_of_two_classes_gets_the_time(make_class, teacher, morning, monkeypatch, google):
    assert race_for_one_time(make_class, teacher, morning, monkeypatch)

    assert agree(google)
    assert ClassLog.objects.filter(event=ClassEvent.RESCHEDULED).count() == 1


def test_one_of_two_classes_needs_the_database(
    make_class, teacher, morning, monkeypatch, without_locks
):
    """PostgreSQL holds it by constraints on classes and holds, SQLite by its single writer."""
    without_locks()
    monkeypatch.setattr(changing, "claim_time", lambda one, now, *, ends_holds: None)

    def make_without_the_mark(start):
        virtual_class = make_class(start)
        VirtualClass.objects.update(owns_time=False)
        return virtual_class

    assert not race_for_one_time(
        make_without_the_mark, teacher, morning, monkeypatch, LONG_PATIENCE
    )


# --- One class, many wishes -----------------------------------------------------------------------


def move_while_cancelling(make_class, teacher, morning, monkeypatch, patience=SHORT_PATIENCE):
    """Cancel between the move's checks and its write; tell whether the move noticed."""
    virtual_class = make_class(morning)
    is_cancelled, has_checked = threading.Event(), threading.Event()
    came_too_late = []
    is_taken = changing.is_time_taken

    def check_and_wait(*args):
        answer = is_taken(*args)
        has_checked.set()
        came_too_late.append(is_cancelled.wait(patience))
        return answer

    def cancel():
        has_checked.wait(LONG_PATIENCE)
        cancel_class(class_id=virtual_class.pk, actor=teacher)
        is_cancelled.set()

    monkeypatch.setattr(changing, "is_time_taken", check_and_wait)
    race(move(virtual_class, teacher, morning + timedelta(hours=5)), cancel)
    return came_too_late == [False]


def test_a_cancellation_waits_for_the_move_and_wins(
    make_class, teacher, morning, monkeypatch, google
):
    assert move_while_cancelling(make_class, teacher, morning, monkeypatch)

    assert VirtualClass.objects.get().status == "cancelled"
    assert google.live_events() == []


def test_a_move_needs_its_lock(make_class, teacher, morning, monkeypatch, without_locks):
    without_locks()

    assert not move_while_cancelling(make_class, teacher, morning, monkeypatch, LONG_PATIENCE)


# --- Leaving --------------------------------------------------------------------------------------


def is_consistent():
    virtual_class = VirtualClass.objects.get()
    people = [str(pk) for pk in UserActivity.objects.values_list("user_id", flat=True)]
    return virtual_class.current_participants == len(people) and sorted(
        virtual_class.participants_ids
    ) == sorted(people)


def leave_and_join(host, monkeypatch, patience=SHORT_PATIENCE):
    """Have two guests leave and two others join at once; tell whether the books are right."""
    virtual_class = VirtualClassFactory(
        scheduled=True, booked_by=host, max_participants=6, access_code=CODE
    )
    leaving_ones, joining_ones = UserFactory.create_batch(2), UserFactory.create_batch(2)
    for guest in leaving_ones:
        join_class(user=guest, access_code=CODE)
    meet(monkeypatch, cancelling, "refuse_leaving", 2, patience)

    results = race(
        *[partial(leave_class, class_id=virtual_class.pk, user=one) for one in leaving_ones],
        *[partial(join_class, user=one, access_code=CODE) for one in joining_ones],
    )

    return not [one for one in results if isinstance(one, Exception)] and is_consistent()


def test_leaving_and_joining_keep_counter_list_and_rows_together(host, monkeypatch):
    assert leave_and_join(host, monkeypatch)


def test_leaving_needs_the_lock(host, monkeypatch, without_locks):
    without_locks()

    assert not leave_and_join(host, monkeypatch, LONG_PATIENCE)
