"""A process is killed while it schedules a class; asking again finishes the work, once."""

import signal
import uuid
from collections.abc import Callable
from functools import partial

import pytest

from bookings.domain.classes import scheduling
from bookings.models import ClassLog, Role, UserActivity
from tests.drills.points import die, die_after, die_before, replace
from tests.factories import VirtualClassFactory
from tests.processes import run_forked

pytestmark = [pytest.mark.concurrency, pytest.mark.usefixtures("teacher")]

SCHEDULING = "bookings.domain.classes.scheduling"
POINTS: dict[str, Callable[[], None]] = {
    "between wish and insert": partial(die_before, f"{SCHEDULING}.create_event"),
    "between insert and save": partial(die_after, f"{SCHEDULING}.create_event"),
    "in the save, host written": partial(die_after, "bookings.models.UserActivity.save"),
    "in the save, all written": partial(die_after, f"{SCHEDULING}.record_place"),
    "before the answer": lambda: None,
}


def use_random_event_ids() -> None:
    """Leave out that the event's id follows from the class."""
    replace(
        "bookings.domain.calendar.drafts.derive_event_id",
        lambda original: lambda virtual_class: uuid.uuid4().hex,
    )


def save_without_transaction() -> None:
    """Leave out that a class, its host and its mail are written together, under a lock."""
    replace(
        "django.db.backends.postgresql.features.DatabaseFeatures.has_select_for_update",
        lambda original: False,
    )
    replace(f"{SCHEDULING}.store_event", lambda original: original.__wrapped__)


PROTECTIONS = {"ids": use_random_event_ids, "transaction": save_without_transaction}


def schedule(point: str, preference_id: str, *left_out: str) -> None:
    """Schedule the class up to a point. left_out: protections to do without."""
    POINTS[point]()
    for protection in left_out:
        PROTECTIONS[protection]()
    scheduling.schedule_class(preference_id=preference_id)
    die()


CREATED = (200, {"success": True, "message": "Event created successfully"})


@pytest.fixture
def pending(host):
    """A booked class that waits for its event."""
    return VirtualClassFactory(booked_by=host)


def crash(point, virtual_class, *left_out):
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
