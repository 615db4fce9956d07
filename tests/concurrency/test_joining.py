"""Many guests at once: every place goes to one of them, and every other gets its refusal.

Each promise has a control: the same race with the lock taken off, which must break it.
"""

from functools import partial

import pytest

from bookings.domain.places import joining
from bookings.models import UserActivity, VirtualClass
from tests.concurrency.conftest import without_constraint
from tests.concurrency.racing import LONG_PATIENCE, SHORT_PATIENCE, Gate, race
from tests.factories import UserFactory, VirtualClassFactory

CODE = "ABCD2345"

pytestmark = pytest.mark.concurrency


@pytest.fixture
def make_class(host):
    return partial(VirtualClassFactory, scheduled=True, booked_by=host, access_code=CODE)


def join(client):
    """Join; give the status and the refusal's code."""
    response = client.post("/api/access-code", f'"{CODE}"', content_type="application/json")
    return response.status_code, response.json().get("response", {}).get("code", "")


def is_consistent(places):
    virtual_class = VirtualClass.objects.get()
    people = [str(pk) for pk in UserActivity.objects.values_list("user_id", flat=True)]
    return (
        len(people) <= places
        and virtual_class.current_participants == len(people)
        and sorted(virtual_class.participants_ids) == sorted(people)
    )


def pause_between_check_and_write(monkeypatch, count, patience):
    """Have each guest wait for the others after the checks, as far as locks let them come."""
    gate, add_guest = Gate(count, patience), joining.add_guest

    def wait_and_add(*args):
        gate.wait()
        return add_guest(*args)

    monkeypatch.setattr(joining, "add_guest", wait_and_add)


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
