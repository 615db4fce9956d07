"""Retry event updates and withdrawals that failed."""

import logging
from collections.abc import Callable

from django.db.models import QuerySet
from django.utils import timezone

from bookings.domain.batches import work_through
from bookings.domain.calendar.events import KEEPS_EVENT, REQUEST_GRACE, move_event, withdraw_event
from bookings.domain.calendar.guests import SWEPT_AFTER, write_guests
from bookings.domain.calendar.outages import allowed_failures
from bookings.models import ClassStatus, VirtualClass
from calendar_sync import CalendarError, CalendarRefusedError
from config.lib.retries import is_due

logger = logging.getLogger(__name__)

EVENTS_PER_SWEEP = 50


def update_events() -> int:
    """Return how many were updated."""
    now = timezone.now()
    waiting = VirtualClass.objects.filter(
        is_due("event_update_requested_at", REQUEST_GRACE, now - REQUEST_GRACE),
        status=ClassStatus.SCHEDULED,
    )
    moved = _change(waiting, "event_update_requested_at", move_event)
    waiting = VirtualClass.objects.filter(
        is_due("guests_changed_at", SWEPT_AFTER, now - SWEPT_AFTER), status__in=KEEPS_EVENT
    )
    return moved + _change(waiting, "guests_changed_at", write_guests)


def withdraw_events() -> int:
    """Return how many were withdrawn."""
    waiting = VirtualClass.objects.filter(withdrawal_requested_at__isnull=False)
    return _change(waiting, "withdrawal_requested_at", withdraw_event)


def _change(
    waiting: QuerySet[VirtualClass], mark: str, change: Callable[[VirtualClass], None]
) -> int:
    """mark: the field with the time of the request."""

    def attempt(virtual_class: VirtualClass) -> bool:
        request = {"pk": virtual_class.pk, mark: getattr(virtual_class, mark)}
        try:
            change(virtual_class)
        except Exception as error:
            # Put it last: it may fail forever.
            VirtualClass.objects.filter(**request).update(**{mark: timezone.now()})
            if not isinstance(error, CalendarRefusedError):
                raise
            logger.warning("The event of class %s stays as it is: %s", virtual_class.pk, error)
            return False
        return True

    max_failures = allowed_failures(timezone.now())
    if not max_failures:
        return 0
    return work_through(
        waiting.order_by(mark)[:EVENTS_PER_SWEEP],
        attempt,
        outage=CalendarError,
        name="The event of class",
        max_failures=max_failures,
    )
