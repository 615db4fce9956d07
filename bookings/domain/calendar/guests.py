"""The guests of a class's event, in one patch for a burst of joins.

``guests_changed_at`` requests the patch; a sweep of ``writing.py`` retries it.
"""

import logging
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.selectors import find_calendar_token
from bookings.domain.calendar.drafts import draft_update
from bookings.domain.calendar.grant import allowed_failures
from bookings.models import MEET_ACCESS, ClassStatus, Heartbeat, VirtualClass
from calendar_sync import (
    CalendarError,
    CalendarRefusedError,
    EventGoneError,
    EventNotOursError,
    use_calendar,
)
from config.lib.background_jobs import BackgroundJob
from config.lib.retries import claim

logger = logging.getLogger(__name__)

# The list is written after this long without a change of people, so that a burst costs one patch.
QUIET = timedelta(seconds=3)
# Older requests belong to the sweep.
SWEPT_AFTER = timedelta(minutes=1)


def note_guests(locked: VirtualClass) -> None:
    """Request a new guest list; the caller saves the row."""
    locked.guests_changed_at = timezone.now()
    _write_soon()


def request_guests(classes: QuerySet[VirtualClass]) -> None:
    """Request new guest lists, of past classes too."""
    classes.exclude(status=ClassStatus.CANCELLED).update(guests_changed_at=timezone.now())
    _write_soon()


def write_guests(virtual_class: VirtualClass) -> None:
    """Invite the class's people, unless another process does.

    virtual_class: as read with its request. Raises CalendarError, and the request stays.
    """
    rows = VirtualClass.objects.filter(status__in=[ClassStatus.SCHEDULED, ClassStatus.COMPLETED])
    if not claim(rows, virtual_class, "guests_changed_at", lease=timedelta()):
        return
    # The people are read after the claim: a change after it renews the request.
    draft = draft_update(virtual_class)
    try:
        with use_calendar(find_calendar_token()) as calendar:
            calendar.update_guests(draft)
    except (EventGoneError, EventNotOursError) as error:
        # The comparison finds a missing event, and a new one has its guests.
        logger.info("Class %s has no event to invite to: %s", virtual_class.pk, error)
    except CalendarRefusedError:
        if not virtual_class.has_ended():
            raise
        logger.warning("The event of the past class %s keeps its guests.", virtual_class.pk)
    if settings.MEET_ACCESS == "open" and not virtual_class.has_ended():
        _open_meeting(virtual_class)
    # The request stays if it was renewed since. If another process cleared it, this write may have
    # replaced newer guests: request them again.
    stored = rows.filter(pk=virtual_class.pk)
    unchanged = stored.filter(guests_changed_at=virtual_class.guests_changed_at)
    if not unchanged.update(guests_changed_at=None):
        stored.filter(guests_changed_at=None).update(guests_changed_at=timezone.now())


def _open_meeting(virtual_class: VirtualClass) -> None:
    refused_at = None
    try:
        with use_calendar(find_calendar_token()) as calendar:
            calendar.open_meeting(virtual_class.html_link)
    except CalendarRefusedError as error:
        logger.warning("The meeting of class %s stays closed: %s", virtual_class.pk, error)
        refused_at = timezone.now()
    Heartbeat.objects.update_or_create(name=MEET_ACCESS, defaults={"failed_at": refused_at})


def _write_soon() -> None:
    transaction.on_commit(job.call, robust=True)


def write_recent() -> None:
    now = timezone.now()
    if not allowed_failures(now):
        return
    recent = VirtualClass.objects.filter(
        status=ClassStatus.SCHEDULED, end_time__gt=now, guests_changed_at__gt=now - SWEPT_AFTER
    )
    if recent.filter(guests_changed_at__gt=now - QUIET).exists():
        job.call()
    for virtual_class in recent.filter(guests_changed_at__lte=now - QUIET):
        try:
            write_guests(virtual_class)
        except CalendarError as error:
            reason = type(error).__name__
            logger.warning("The guests of class %s are put off: %s", virtual_class.pk, reason)


job = BackgroundJob("guest lists", write_recent, delay=QUIET)
