"""A process is killed while it schedules a class; asking again finishes the work, once.

Each promise has a control: the same crash with its protection left out, which must break it.
"""

import signal
import time

import pytest

from bookings.models import ClassLog, Role, UserActivity, VirtualClass
from tests.concurrency.mortal import POINTS, schedule
from tests.factories import VirtualClassFactory
from tests.processes import CHILD_SECONDS, run_forked, start_forked, wait_for_end
from tests.standins import Fault

CREATED = (200, {"success": True, "message": "Event created successfully"})

pytestmark = [pytest.mark.concurrency, pytest.mark.usefixtures("teacher")]


@pytest.fixture
def pending(host):
    """A booked class that waits for its event."""
    return VirtualClassFactory(booked_by=host)


def crash(point, virtual_class, *left_out):
    """Schedule the class in a process of its own, which is killed at ``point``."""
    code = run_forked(schedule, point, virtual_class.preference_id, *left_out)
    assert code == -signal.SIGKILL


def ask_again(client, virtual_class):
    response = client.post(
        "/api/calendar",
        {"preferenceId": virtual_class.preference_id},
        content_type="application/json",
    )
    return response.status_code, response.json()


def is_scheduled_once(virtual_class, google):
    """Whether there is one live event, one host, one code and one log entry."""
    virtual_class.refresh_from_db()
    return (
        [event["id"] for event in google.live_events()] == [virtual_class.provider_event_id]
        and virtual_class.status == "scheduled"
        and len(virtual_class.access_code or "") == 8
        and list(UserActivity.objects.values_list("rol", flat=True)) == [Role.HOST]
        and ClassLog.objects.count() == 1
    )


@pytest.mark.parametrize("point", POINTS)
def test_class_is_scheduled_once_after_a_crash(client, google, pending, point):
    crash(point, pending)

    assert ask_again(client, pending) == CREATED

    assert is_scheduled_once(pending, google)


@pytest.mark.parametrize("point", [p for p in POINTS if p.startswith("in the save")])
def test_crash_in_the_save_leaves_nothing_half_written(google, pending, point):
    crash(point, pending)

    pending.refresh_from_db()
    assert (pending.status, pending.access_code) == ("pending", None)
    assert not UserActivity.objects.exists()
    assert len(google.live_events()) == 1


def test_crash_leaves_a_wish_to_finish_from(google, pending):
    crash("between wish and insert", pending)

    pending.refresh_from_db()
    assert pending.is_being_scheduled
    assert google.events() == []


def test_crash_while_the_provider_is_at_it_makes_one_event(client, google, pending):
    google.fault("events.insert", Fault.delay(0.5))
    child = start_forked(schedule, "before the answer", pending.preference_id)
    wait_for(lambda: "events.insert" in [call.route for call in google.requests])
    child.kill()
    assert wait_for_end(child) == -signal.SIGKILL
    wait_for(google.live_events)  # made for somebody who is gone

    assert ask_again(client, pending) == CREATED

    assert is_scheduled_once(pending, google)


def test_one_event_needs_an_id_that_follows_from_the_class(client, google, pending):
    crash("between insert and save", pending, "ids")

    ask_again(client, pending)

    assert len(google.live_events()) == 2
    assert not is_scheduled_once(pending, google)


def test_whole_class_needs_one_transaction(client, google, pending):
    crash("in the save, host written", pending, "transaction")

    pending.refresh_from_db()
    assert (pending.status, UserActivity.objects.count()) == ("pending", 1)
    ask_again(client, pending)
    assert not is_scheduled_once(pending, google)


def test_crashed_class_gives_its_time_and_its_event_back(client, google, host, pending):
    crash("between insert and save", pending)
    VirtualClassFactory(scheduled=True, owns_time=True, start_time=pending.start_time)

    status, _ = ask_again(client, pending)

    assert status == 409
    assert google.live_events() == []
    assert VirtualClass.objects.get(pk=pending.pk).status == "pending"


def wait_for(condition):
    for _ in range(CHILD_SECONDS * 100):
        if condition():
            return
        time.sleep(0.01)
    pytest.fail("waited in vain")
