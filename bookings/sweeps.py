"""What is done again and again until nothing is left to do: any number of workers may, at once.

A new sweep is a function without arguments that returns how much it did, and one line in SWEEPS,
which says how often it runs. It may meet itself in another process, be killed anywhere, and start
over: so it claims its rows by conditional updates, and leaves for the next time what it cannot do.
"""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import Error
from django.db.models import QuerySet
from django.utils import timezone

from bookings.domain.class_events import move_event, withdraw_event
from bookings.domain.completing import complete_ended_classes
from bookings.domain.finishing import SCHEDULING_GRACE, finish_requested_schedulings
from bookings.domain.grants import check_calendar_grant
from bookings.domain.heartbeats import note_beat, note_failure, read_beats
from bookings.domain.holding import delete_expired_holds
from bookings.domain.noticing import forget_notifications
from bookings.domain.offering import pass_on_offers
from bookings.domain.outages import bearable_failures
from bookings.domain.refunding import send_due_refunds
from bookings.domain.settling import (
    expire_payments,
    process_notifications,
    settle_due_payments,
)
from bookings.domain.watching import compare_calendar, follow_calendar, keep_push_channel
from bookings.models import ClassStatus, VirtualClass
from bookings.notices.delivery import deliver_due
from bookings.notices.reminders import plan_missing_reminders
from calendar_sync import CalendarError, CalendarRefusedError

logger = logging.getLogger(__name__)

CLASSES_PER_SWEEP = 50


def update_events() -> int:
    """Move the events of classes that got another time while the calendar failed."""
    waiting = VirtualClass.objects.filter(
        status=ClassStatus.SCHEDULED,
        event_update_requested_at__lte=timezone.now() - SCHEDULING_GRACE,
    )
    return _for_events(waiting, "event_update_requested_at", move_event)


def withdraw_events() -> int:
    """Take away the events of classes that lost them while the calendar failed."""
    waiting = VirtualClass.objects.filter(withdrawal_requested_at__isnull=False)
    return _for_events(waiting, "withdrawal_requested_at", withdraw_event)


def _for_events(
    waiting: QuerySet[VirtualClass], mark: str, change: Callable[[VirtualClass], None]
) -> int:
    """Change the event of each class, until the calendar seems down; returns how many it took.

    mark: since when they wait. Whichever fails goes to the end: some event may never change.
    """
    bearable = bearable_failures(timezone.now())
    if not bearable:
        return 0
    done = failures = 0
    for virtual_class in waiting.order_by(mark)[:CLASSES_PER_SWEEP]:
        try:
            change(virtual_class)
            done, failures = done + 1, 0
        except CalendarError as error:
            _put_at_the_end(virtual_class, mark, error)
            failures += not isinstance(error, CalendarRefusedError)
        except Exception as error:
            logger.exception("A bug that one event meets must not keep the others.")
            _put_at_the_end(virtual_class, mark, error)
        if failures == bearable:
            break
    return done


def _put_at_the_end(virtual_class: VirtualClass, mark: str, error: Exception) -> None:
    logger.warning(
        "The event of class %s is not as it should be yet: %s",
        virtual_class.pk,
        type(error).__name__,
    )
    same = VirtualClass.objects.filter(pk=virtual_class.pk, **{mark: getattr(virtual_class, mark)})
    same.update(**{mark: timezone.now()})


def send_due_notices() -> int:
    """Send the mails that are due; returns how many left."""
    return deliver_due()


MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)

# In this order, so that what one of them finds to do is done by those after it. Mails, and what is
# only tidied up, come last.
# How often: whole minutes.
SWEEPS: dict[Callable[[], int], timedelta] = {
    delete_expired_holds: MINUTE,
    process_notifications: MINUTE,
    send_due_refunds: MINUTE,
    settle_due_payments: MINUTE,
    expire_payments: MINUTE,
    finish_requested_schedulings: MINUTE,
    update_events: MINUTE,
    withdraw_events: MINUTE,
    follow_calendar: 5 * MINUTE,
    compare_calendar: HOUR,
    keep_push_channel: 24 * HOUR,
    complete_ended_classes: MINUTE,
    pass_on_offers: MINUTE,
    plan_missing_reminders: 10 * MINUTE,
    check_calendar_grant: HOUR,
    send_due_notices: MINUTE,
    forget_notifications: MINUTE,
}


def find_sweep(name: str) -> Callable[[], int] | None:
    """Find a sweep by the name that plan, queue and heartbeat know it by."""
    return next((run for run in SWEEPS if run.__name__ == name), None)


def sweep() -> dict[str, int | None]:
    """Run each sweep once, of the rarer ones those whose time has come.

    Tells how much each did, None where it failed. One stops no other.
    """
    beats = read_beats()
    return {
        run.__name__: run_sweep(run)
        for run, every in SWEEPS.items()
        if every <= MINUTE or _is_due(beats.get(run.__name__), every)
    }


def _is_due(beat_at: datetime | None, every: timedelta) -> bool:
    # Who calls once a minute is sometimes a little early.
    return beat_at is None or timezone.now() - beat_at > every - MINUTE / 2


def run_sweep(run: Callable[[], int]) -> int | None:
    """Run one sweep and write its heartbeat; tell how much it did, None when it failed."""
    name = run.__name__
    try:
        count = run()
        note_beat(name, count)
    except Exception as error:
        logger.exception("The sweep %s failed.", name)
        note_failure_if_possible(name, type(error).__name__)
        return None
    return count


def note_failure_if_possible(name: str, failure: str) -> None:
    """Write a failure down, unless the database is what fails: then the missing beat tells."""
    try:
        note_failure(name, failure)
    except Error:
        logger.warning("The failure of the sweep %s could not be written down.", name)
