"""The teacher publishes an open class."""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from bookings.domain.checkout.holds import keep_time
from bookings.domain.checkout.settling import settle_free_class
from bookings.domain.checkout.teacher_booking import find_obstacle
from bookings.domain.exceptions import BookingError, SlotTakenError, TimeOverError
from bookings.domain.history import record_event
from bookings.domain.lifecycle.booking import BookingRequest, refuse_impossible_period, store_class
from bookings.domain.lifecycle.paying import mark_paid
from bookings.domain.money.preferences import describe_preference
from bookings.domain.queries import list_awaiting_between
from bookings.models import ClassEvent, ClassType, Hold, OpenClass

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenClassDraft:
    """Aware times, and the price in centavos."""

    title: str
    start: datetime
    minutes: int
    places: int
    minimum: int
    place_price: int
    decides_at: datetime
    text: str = ""
    level: str = ""
    is_listed: bool = True

    @property
    def end(self) -> datetime:
        return self.start + timedelta(minutes=self.minutes)


def publish_open_class(*, draft: OpenClassDraft, by: User) -> OpenClass:
    """Publish a group that ``by`` hosts, and schedule it; the sweep retries failures.

    No transaction may be open: the calendar is called. Raises, in this order and without writing,
    TimeOverError, the errors of ``refuse_impossible_period``, BookingError, SlotTakenError. If the
    time is lost later, the class is cancelled: SlotTakenError at once, or by the sweep.
    """
    refuse_draft(draft, by)
    open_class = _store(draft, by)
    open_class.virtual_class = settle_free_class(open_class.virtual_class)
    return open_class


def refuse_draft(draft: OpenClassDraft, by: User) -> None:
    """Raise as ``publish_open_class``."""
    now = timezone.now()
    if draft.start <= now:
        raise TimeOverError
    refuse_impossible_period(draft.start, draft.end)
    if not 1 <= draft.minimum <= draft.places or draft.places + 1 > settings.MAX_STUDENTS:
        raise BookingError("El mínimo va de 1 a la cantidad de lugares.")
    if not now < draft.decides_at < draft.start:
        raise BookingError("Decidí si se da antes de que empiece, y después de ahora.")
    if find_obstacle(draft.start, draft.end, by):
        raise SlotTakenError


@transaction.atomic
def _store(draft: OpenClassDraft, by: User) -> OpenClass:
    request = BookingRequest(
        draft.start,
        draft.end,
        is_group_class=True,
        students_count=draft.places + 1,  # the teacher counts as its host
        price=0,
        **describe_preference(None),
    )
    virtual_class = store_class(user=by, request=request, by=by)
    # The constraint decides between it and a student who is choosing. The row is not needed then:
    # a class that waits for the calendar keeps its time.
    hold = Hold(user=by, expires_at=timezone.now(), class_type=ClassType.GROUP)
    hold.start_time, hold.end_time = draft.start, draft.end
    keep_time(hold, by_teacher=True).delete()
    if list_awaiting_between(draft.start, draft.end).exists():
        raise SlotTakenError
    open_class = OpenClass.objects.create(
        virtual_class=virtual_class,
        title=draft.title,
        text=draft.text,
        level=draft.level,
        places=draft.places,
        minimum=draft.minimum,
        place_price=draft.place_price,
        decides_at=draft.decides_at,
        is_listed=draft.is_listed,
    )
    record_event(virtual_class, ClassEvent.PUBLISHED, actor=by)
    open_class.virtual_class = mark_paid(virtual_class.pk, by)
    return open_class
