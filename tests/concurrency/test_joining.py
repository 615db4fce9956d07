"""Many guests at once: every place goes to one of them, and every other gets its refusal.

Each promise has a control: the same race with the lock taken off, which must break it.
"""

import threading
from collections import Counter
from functools import partial

import pytest

from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.places import joining
from bookings.domain.places.joining import join_class
from bookings.models import UserActivity, VirtualClass
from tests.concurrency.conftest import without_constraint
from tests.concurrency.racing import LONG_PATIENCE, SHORT_PATIENCE, Gate, race
from tests.factories import UserFactory, VirtualClassFactory

CODE = "ABCD2345"

pytestmark = pytest.mark.concurrency


@pytest.fixture
def make_class(host):
    """Make a scheduled class of which the host is one."""
    return partial(VirtualClassFactory, scheduled=True, booked_by=host, access_code=CODE)


def join(client):
    """Join; give the status and the refusal's code."""
    response = client.post("/api/access-code", f'"{CODE}"', content_type="application/json")
    return response.status_code, response.json().get("response", {}).get("code", "")


def is_consistent(places):
    """Whether counter, list and rows agree, and no more are in than fit."""
    virtual_class = VirtualClass.objects.get()
    people = [str(pk) for pk in UserActivity.objects.values_list("user_id", flat=True)]
    return (
        len(people) <= places
        and virtual_class.current_participants == len(people)
        and sorted(virtual_class.participants_ids) == sorted(people)
    )


def pause_between_check_and_write(monkeypatch, count, patience):
    """Have each guest wait for the others after the checks, as far as locks let them come."""
    gate, is_kept = Gate(count, patience), joining.is_kept_for_another

    def check_and_wait(*args):
        answer = is_kept(*args)
        gate.wait()
        return answer

    monkeypatch.setattr(joining, "is_kept_for_another", check_and_wait)


def test_twelve_guests_in_the_same_instant_get_four_places(make_class):
    make_class(max_participants=5)
    guests = [UserFactory() for _ in range(12)]

    results = race(*[partial(join_class, user=guest, access_code=CODE) for guest in guests])

    kinds = Counter(type(result).__name__ for result in results)
    assert kinds == {"VirtualClass": 4, "ClassFullError": 8}
    assert is_consistent(places=5)


# --- The last place, with time between check and write --------------------------------------------


def race_for_the_last_place(make_class, client_of, monkeypatch, patience=SHORT_PATIENCE):
    """Let two guests check at the same moment; tell whether one got in and one was refused."""
    make_class(max_participants=2)
    clients = [client_of(UserFactory()) for _ in range(2)]
    pause_between_check_and_write(monkeypatch, 2, patience)
    answers = race(*[partial(join, client) for client in clients])
    return sorted(answers) == [(200, ""), (409, "class_full")] and is_consistent(places=2)


def test_last_place_goes_to_one(make_class, client_of, monkeypatch):
    assert race_for_the_last_place(make_class, client_of, monkeypatch)


def test_last_place_needs_the_lock(make_class, client_of, monkeypatch, without_locks):
    without_locks()

    assert not race_for_the_last_place(make_class, client_of, monkeypatch, LONG_PATIENCE)


def race_against_oneself(make_class, client_of, monkeypatch, student, patience=SHORT_PATIENCE):
    """Let one guest join twice at the same moment; tell whether it worked once."""
    make_class(max_participants=5)
    clients = [client_of(student) for _ in range(2)]
    pause_between_check_and_write(monkeypatch, 2, patience)
    answers = race(*[partial(join, client) for client in clients])
    return sorted(answers) == [(200, ""), (409, "already_joined")] and is_consistent(places=2)


def test_same_guest_joins_once(make_class, client_of, monkeypatch, student):
    assert race_against_oneself(make_class, client_of, monkeypatch, student)


def test_same_guest_needs_lock_and_constraint(
    make_class, client_of, monkeypatch, student, without_locks
):
    without_locks()

    with without_constraint(UserActivity, "one_activity_per_user_and_class"):
        assert not race_against_oneself(make_class, client_of, monkeypatch, student, LONG_PATIENCE)


# --- Joining while the class is cancelled ---------------------------------------------------------


def join_while_cancelling(make_class, student, teacher, monkeypatch, patience=SHORT_PATIENCE):
    """Cancel between the guest's checks and their write; tell whether the guest noticed."""
    virtual_class = make_class()
    is_cancelled, has_checked = threading.Event(), threading.Event()
    came_too_late = []
    is_kept = joining.is_kept_for_another

    def check_and_wait(*args):
        answer = is_kept(*args)
        has_checked.set()
        came_too_late.append(is_cancelled.wait(patience))
        return answer

    def cancel():
        has_checked.wait(LONG_PATIENCE)
        cancel_class(class_id=virtual_class.pk, actor=teacher)
        is_cancelled.set()

    monkeypatch.setattr(joining, "is_kept_for_another", check_and_wait)
    joined, _ = race(partial(join_class, user=student, access_code=CODE), cancel)
    return isinstance(joined, VirtualClass) and came_too_late == [False]


def test_nobody_joins_a_cancelled_class(make_class, student, teacher, monkeypatch):
    assert join_while_cancelling(make_class, student, teacher, monkeypatch)

    assert VirtualClass.objects.get().status == "cancelled"
    assert is_consistent(places=2)


def test_joining_a_cancelled_class_is_prevented_by_the_lock(
    make_class, student, teacher, monkeypatch, without_locks
):
    without_locks()

    assert not join_while_cancelling(make_class, student, teacher, monkeypatch, LONG_PATIENCE)
