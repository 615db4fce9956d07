"""Retry interrupted schedulings, and give up those whose class is over."""

import logging
import time
from datetime import timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from bookings.domain.batches import FAILURES_IN_A_ROW
from bookings.domain.calendar.grant import (
    LONGEST_RETRY_AFTER,
    allowed_failures,
    bring_forward,
    class_wait,
    note_answer,
    note_outage,
)
from bookings.domain.calendar.writing import REQUEST_GRACE
from bookings.domain.classes.cancelling import give_up_class
from bookings.domain.classes.scheduling import UNSCHEDULABLE, schedule_class
from bookings.domain.exceptions import BookingError, ClassEndedError
from bookings.models import (
    ClassStatus,
    OpenClass,
    Purchase,
    PurchaseState,
    VirtualClass,
)
from calendar_sync import CalendarError, CalendarNotConnectedError, CalendarUnavailableError
from config.lib.background_jobs import BackgroundJob
from config.lib.retries import claim, is_due

logger = logging.getLogger(__name__)

# Longer than one attempt takes.
LEASE = timedelta(minutes=2)
# A class that failed so often may fail even with a working calendar.
SUSPECT_AFTER = 3
# Slow successes must not delay the other sweeps.
TIME_PER_SWEEP = timedelta(minutes=1)
# The teacher may have settled an older one with her student; it stays as it is.
MISSED_REACH = timedelta(days=30)


def finish_requested_schedulings() -> int:
    """Schedule interrupted classes; return their number.

    Stops while the calendar is down or disconnected; classes that are over are given up even then.
    """
    _give_up_missed()
    max_failures = allowed_failures(timezone.now())
    if not max_failures:
        return 0
    end = time.monotonic() + TIME_PER_SWEEP.total_seconds()
    pending = VirtualClass.objects.filter(status=ClassStatus.PENDING)
    done = failures = 0
    while time.monotonic() < end and (
        virtual_class := _find_due(is_trial=max_failures < FAILURES_IN_A_ROW)
    ):
        if not claim(pending, virtual_class, "next_scheduling_at", LEASE):
            continue
        error = _schedule(virtual_class)
        if error is None:
            done, failures, max_failures = done + 1, 0, FAILURES_IN_A_ROW
        elif isinstance(error, CalendarUnavailableError):
            # If others succeed, the failure of a suspect is not an outage.
            failures += not (done and virtual_class.scheduling_attempts >= SUSPECT_AFTER)
            if failures == max_failures:
                note_outage(error)
                break
        elif isinstance(error, CalendarNotConnectedError):
            note_outage(error)
            break
    return done


def resume_schedulings() -> None:
    """Retry the waiting classes, because the calendar is connected again."""
    note_answer()
    bring_forward()
    transaction.on_commit(job.call, robust=True)


def _give_up_missed() -> None:
    """Cancel what ended unscheduled, and was published, given for nothing or paid by hand.

    What was paid online is settled by its payment's sweep.
    """
    now = timezone.now()
    of_class = {"virtual_class": OuterRef("pk")}
    paid = Purchase.objects.classes().filter(state=PurchaseState.PAID, **of_class)
    missed = VirtualClass.objects.filter(
        Exists(paid.filter(payment__approved_at=None))
        | Exists(OpenClass.objects.filter(**of_class)),
        status=ClassStatus.PENDING,
        start_time__gt=now - MISSED_REACH,
        end_time__lte=now,
    )
    for virtual_class in missed:
        try:
            give_up_class(virtual_class.pk, ClassEndedError())
        except Exception:
            logger.exception("Class %s is over, and not given up yet.", virtual_class.pk)


def _find_due(*, is_trial: bool) -> VirtualClass | None:
    """Find the oldest request, which gets a contested time.

    is_trial: find the one that failed least, to test the calendar.
    """
    now = timezone.now()
    due = VirtualClass.objects.awaiting_scheduling(now).filter(
        Q(next_scheduling_at=None) | is_due("next_scheduling_at", LONGEST_RETRY_AFTER, now),
        is_due("scheduling_requested_at", REQUEST_GRACE, now - REQUEST_GRACE),
    )
    order = ["scheduling_attempts"] if is_trial else []
    return due.order_by(*order, "scheduling_requested_at", "id").first()


def _schedule(virtual_class: VirtualClass) -> Exception | None:
    """Return the error if the class was postponed."""
    try:
        schedule_class(preference_id=virtual_class.preference_id)
    # Any error: the sweep goes on with the next class, and this one waits with a backoff.
    except Exception as caught:
        error = caught
        if not isinstance(error, BookingError | CalendarError):
            logger.exception("A bug that one class meets must not stop the others.")
    else:
        return None
    leased = VirtualClass.objects.filter(
        pk=virtual_class.pk, next_scheduling_at=virtual_class.next_scheduling_at
    )
    if isinstance(error, CalendarNotConnectedError):
        # No backoff: a new grant ends the wait of all classes.
        leased.update(next_scheduling_at=None)
        return error
    if isinstance(error, UNSCHEDULABLE) and virtual_class.class_price == 0:
        # Whether money goes back is decided by its payment's sweep, or by the teacher.
        give_up_class(virtual_class.pk, error)
    reason = error.code if isinstance(error, BookingError) else type(error).__name__
    logger.warning("Class %s is not scheduled yet: %s", virtual_class.pk, reason)
    attempts = virtual_class.scheduling_attempts + 1
    leased.update(
        scheduling_attempts=F("scheduling_attempts") + 1,
        next_scheduling_at=timezone.now() + class_wait(attempts, error),
    )
    return error


job = BackgroundJob("scheduler", finish_requested_schedulings)
