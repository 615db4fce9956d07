"""Many workers complete ended classes: everybody's classes grow by one for each."""

import signal
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import User
from bookings.domain.classes import completing
from bookings.domain.classes.completing import complete_ended_classes, mark_attendance
from bookings.models import ClassLog, ClassStatus, Role, UserActivity, VirtualClass
from tests.concurrency.racing import LONG_PATIENCE, SHORT_PATIENCE, Gate, race
from tests.drills.points import die_after, die_before
from tests.factories import UserFactory, VirtualClassFactory
from tests.processes import run_forked

pytestmark = pytest.mark.concurrency

COMPLETING = "bookings.domain.classes.completing"
POINTS: dict[str, Callable[[], None]] = {
    "before the totals": partial(die_before, f"{COMPLETING}.add_to_total_classes"),
    "all written": partial(die_after, f"{COMPLETING}.record_event"),
}


def complete(point: str, class_id: int, *, in_transaction: bool = True) -> None:
    POINTS[point]()
    complete_class: Any = completing.complete_class
    if not in_transaction:
        complete_class = complete_class.__wrapped__
    complete_class(virtual_class=VirtualClass.objects.get(pk=class_id), now=timezone.now())


mark_no_show = partial(mark_attendance, came=False)


def give_classes(people, count):
    """Store classes that are over, each given to everybody, hosted by one after the other."""
    for number in range(count):
        end = timezone.now() - timedelta(hours=1 + number)
        host = people[number % len(people)]
        virtual_class = VirtualClassFactory(
            scheduled=True,
            booked_by=host,
            max_participants=len(people),
            start_time=end - timedelta(minutes=50),
            end_time=end,
        )
        for guest in people:
            if guest != host:
                UserActivity.objects.create(
                    user=guest, virtual_class=virtual_class, rol=Role.PARTICIPANT
                )


def totals_of_everybody():
    return set(User.objects.values_list("total_classes", flat=True))


def complete_together(monkeypatch):
    """Have two workers find the same class before either completes it; give everybody's totals."""
    give_classes(UserFactory.create_batch(2), 1)
    gate, complete = Gate(2, LONG_PATIENCE), completing.complete_class

    def wait_and_complete(**arguments):
        gate.wait()
        return complete(**arguments)

    monkeypatch.setattr(completing, "complete_class", wait_and_complete)
    race(*[complete_ended_classes] * 2)
    return totals_of_everybody()


def test_a_class_that_two_workers_found_counts_once(monkeypatch):
    assert complete_together(monkeypatch) == {1}


def test_counting_once_needs_the_claim(monkeypatch):
    filter_rows = QuerySet.filter

    def without_conditions(rows, *args, **conditions):
        if rows.model is VirtualClass and "pk" in conditions:
            conditions = {"pk": conditions["pk"]}
        return filter_rows(rows, *args, **conditions)

    monkeypatch.setattr(QuerySet, "filter", without_conditions)

    assert complete_together(monkeypatch) == {2}


def mark_together(monkeypatch, teacher, patience):
    """Have two clicks find the same guest present before either marks them; give their total."""
    guest = UserFactory(total_classes=5)
    virtual_class = VirtualClassFactory(ended=True, scheduled=True)
    VirtualClass.objects.update(status=ClassStatus.COMPLETED)
    part = UserActivity.objects.create(
        user=guest, virtual_class=virtual_class, rol=Role.PARTICIPANT, completed=True
    )
    gate, add = Gate(2, patience), completing.add_to_total_classes

    def wait_and_add(*args):
        gate.wait()
        return add(*args)

    monkeypatch.setattr(completing, "add_to_total_classes", wait_and_add)
    mark = partial(mark_no_show, class_id=virtual_class.pk, activity_id=part.pk, actor=teacher)
    results = race(mark, mark)
    guest.refresh_from_db()
    failed = any(isinstance(result, Exception) for result in results)
    return None if failed else guest.total_classes


def test_two_clicks_at_once_take_one_class_back(monkeypatch, teacher):
    assert mark_together(monkeypatch, teacher, SHORT_PATIENCE) == 4


def test_one_class_back_needs_the_lock(monkeypatch, teacher, without_locks):
    without_locks()

    assert mark_together(monkeypatch, teacher, LONG_PATIENCE) != 4


# --- People whose rows are locked in another order ----------------------------------------------


def lock_the_other_way_round(people):
    """Lock people against the order of their ids, as another operation might; then let go."""
    with transaction.atomic():
        for person in sorted(people, key=lambda one: one.pk, reverse=True):
            User.objects.filter(pk=person.pk).update(location="Rosario")
    return 1


def test_totals_survive_who_locks_people_the_other_way_round(db):
    people = UserFactory.create_batch(10)
    give_classes(people, 6)

    results = race(*[complete_ended_classes] * 4, *[partial(lock_the_other_way_round, people)] * 4)
    # Whoever lost a deadlock left its class to the next sweep.
    while complete_ended_classes():
        pass

    assert len(results) == 8
    assert totals_of_everybody() == {6}
    assert not VirtualClass.objects.filter(status=ClassStatus.SCHEDULED).exists()


# --- A power cut half-way -------------------------------------------------------------------------


def die_half_way(point, virtual_class, **how):
    """Complete the class in a process of its own, which is killed at ``point``."""
    life = partial(complete, **how)
    assert run_forked(life, point, virtual_class.pk) == -signal.SIGKILL


def is_all_or_nothing(virtual_class):
    """Whether status, activities, totals and log say the same."""
    virtual_class.refresh_from_db()
    done = virtual_class.status == ClassStatus.COMPLETED
    return (
        set(UserActivity.objects.values_list("completed", flat=True)) == {done}
        and totals_of_everybody() == {int(done)}
        and ClassLog.objects.filter(event="completed").count() == int(done)
    )


@pytest.mark.parametrize("point", POINTS)
def test_a_power_cut_half_way_leaves_everything_to_the_next_sweep(point):
    give_classes(UserFactory.create_batch(3), 1)
    virtual_class = VirtualClass.objects.get()

    die_half_way(point, virtual_class)

    assert is_all_or_nothing(virtual_class)
    assert complete_ended_classes() == 1
    assert is_all_or_nothing(virtual_class)


def test_a_power_cut_half_way_needs_the_transaction():
    give_classes(UserFactory.create_batch(3), 1)
    virtual_class = VirtualClass.objects.get()

    die_half_way("before the totals", virtual_class, in_transaction=False)

    assert not is_all_or_nothing(virtual_class)
    assert complete_ended_classes() == 0
