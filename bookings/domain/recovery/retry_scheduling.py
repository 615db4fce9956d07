"""Finishing: schedulings that were asked for and cut short, until none is left."""

import logging
import time
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from bookings.domain.batches import FAILURES_IN_A_ROW
from bookings.domain.calendar.events import REQUEST_GRACE
from bookings.domain.calendar.outages import (
    bearable_failures,
    bring_forward,
    class_wait,
    note_answer,
    note_outage,
)
from bookings.domain.exceptions import BookingError
from bookings.domain.lifecycle.scheduling import schedule_class
from bookings.models import ClassStatus, VirtualClass, list_awaiting_scheduling
from calendar_sync import (
    CalendarError,
    CalendarNotConnectedError,
    CalendarUnavailableError,
)
from config.lib.background_jobs import BackgroundJob
from config.lib.retries import claim

logger = logging.getLogger(__name__)

# As long as one attempt may be under way.
LEASE = timedelta(minutes=2)
# A class that failed so often may do so whatever the calendar does.
SUSPECT_AFTER = 3
# Slow successes must not keep the sweeps after this one.
TIME_PER_SWEEP = timedelta(minutes=1)


def finish_requested_schedulings() -> int:
    """Schedule the classes whose scheduling was cut short, the oldest wish first.

    Returns how many are scheduled now. A class that still cannot be waits, longer each time; the
    calendar being down or disconnected, the sweep ends and asks it no more.
    """
    max_failures = bearable_failures(timezone.now())
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
            # Where others succeed, a suspect's failure says nothing about the calendar.
            failures += not (done and virtual_class.scheduling_attempts >= SUSPECT_AFTER)
            if failures == max_failures:
                note_outage(error)
                break
        elif isinstance(error, CalendarNotConnectedError):
            note_outage(error)
            break
    return done


def resume_schedulings() -> None:
    """Go on with every class that waits, now that the calendar is connected again."""
    note_answer()
    bring_forward()
    if settings.SETTLE_AT_ONCE:
        transaction.on_commit(_job.call, robust=True)


def _find_due(*, is_trial: bool) -> VirtualClass | None:
    """Find the class whose turn it is; whichever was just tried waits by then.

    The oldest wish comes first, however often it failed: of two that want one time, the earlier
    gets it. To try out whether the calendar is back, take the one that failed least: some may fail
    whatever the calendar does.
    """
    now = timezone.now()
    due = list_awaiting_scheduling(now).filter(
        Q(next_scheduling_at=None) | Q(next_scheduling_at__lte=now),
        scheduling_requested_at__lte=now - REQUEST_GRACE,
    )
    order = ["scheduling_attempts"] if is_trial else []
    return due.order_by(*order, "scheduling_requested_at", "id").first()


def _schedule(virtual_class: VirtualClass) -> Exception | None:
    """Schedule a class, or have it wait and give the reason."""
    try:
        schedule_class(preference_id=virtual_class.preference_id)
    except CalendarNotConnectedError as error:
        # It keeps its turn: it is not its fault, and a new grant ends the waiting of all.
        _mine(virtual_class).update(next_scheduling_at=None)
        return error
    except (BookingError, CalendarError) as error:
        _put_off(virtual_class, error)
        return error
    except Exception as error:
        logger.exception("A bug that one class meets must not keep the others.")
        _put_off(virtual_class, error)
        return error
    return None


def _put_off(virtual_class: VirtualClass, error: Exception) -> None:
    """Have the class wait: not by what stands in its way, but by how often it has been tried."""
    reason = error.code if isinstance(error, BookingError) else type(error).__name__
    logger.warning("Class %s is not scheduled yet: %s", virtual_class.pk, reason)
    wait = class_wait(virtual_class.scheduling_attempts + 1, error)
    _mine(virtual_class).update(
        scheduling_attempts=F("scheduling_attempts") + 1, next_scheduling_at=timezone.now() + wait
    )


def _mine(virtual_class: VirtualClass) -> QuerySet[VirtualClass]:
    """Select the row as long as the lease is ours: it may have been brought forward since."""
    return VirtualClass.objects.filter(
        pk=virtual_class.pk, next_scheduling_at=virtual_class.next_scheduling_at
    )


_job = BackgroundJob("scheduler", finish_requested_schedulings)
