"""Open classes: the teacher publishes one, students find it, and its minimum is decided.

Once a class has begun it goes on, however late the deadline is decided.
"""

import logging
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, TypedDict

from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models import OuterRef, QuerySet
from django.utils import timezone

from accounts.models import User
from bookings.domain.calendar.writing import withdraw_event_if_possible
from bookings.domain.classes.booking import (
    BookingRequest,
    mark_paid,
    refuse_impossible_period,
    store_class,
)
from bookings.domain.classes.cancelling import call_off
from bookings.domain.exceptions import (
    BookingError,
    ClassCancelledError,
    SlotTakenError,
    TimeOverError,
)
from bookings.domain.history import record_event
from bookings.domain.money.prices import Quote
from bookings.domain.places.participants import (
    count_per_class,
    list_held_places,
    lock_open_class,
)
from bookings.domain.queries import list_awaiting_between
from bookings.domain.sales.her_bookings import find_obstacle
from bookings.domain.sales.holds import keep_time
from bookings.domain.sales.settling import settle_free_class
from bookings.domain.teacher_alerts import tell_teacher
from bookings.models import (
    BookingRules,
    ClassEvent,
    ClassStatus,
    ClassType,
    Hold,
    MinimumDecision,
    NoticeKind,
    OpenClass,
    RefundCase,
    VirtualClass,
    WaitingListEntry,
)
from bookings.notices.due import record_due

logger = logging.getLogger(__name__)

CLASSES_PER_SWEEP = 50
# The teacher is mailed WARNING before the deadline, but not until SETTLING_IN after publishing.
WARNING, SETTLING_IN = timedelta(hours=24), timedelta(hours=1)


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
    title_en: str = ""
    text_en: str = ""
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
        raise BookingError("Falta poco para la clase: elegí decidir más cerca de su comienzo.")
    if find_obstacle(draft.start, draft.end, by):
        raise SlotTakenError


@transaction.atomic
def _store(draft: OpenClassDraft, by: User) -> OpenClass:
    people = draft.places + 1  # the teacher counts as its host
    quote = Quote(draft.start, draft.end, is_group_class=True, students_count=people, price=0)
    virtual_class = store_class(user=by, request=BookingRequest(quote, None), by=by)
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
        title_en=draft.title_en,
        text_en=draft.text_en,
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


class _Kept(TypedDict):
    held: int
    offered: int


if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    CountedClass = WithAnnotations[OpenClass, _Kept]
else:
    CountedClass = OpenClass


def list_open_classes() -> "QuerySet[CountedClass]":
    """List the classes ahead, nearest first, in one query."""
    now = timezone.now()
    ahead = with_counts(now).filter(
        is_listed=True,
        virtual_class__status=ClassStatus.SCHEDULED,
        virtual_class__start_time__gt=now,
    )
    return ahead.order_by("virtual_class__start_time", "pk")


def with_counts(now: datetime) -> "QuerySet[CountedClass]":
    held = list_held_places(OuterRef("pk"), now)
    offers = WaitingListEntry.objects.live(now).filter(virtual_class=OuterRef("pk"))
    return OpenClass.objects.select_related("virtual_class__booked_by").annotate(
        held=count_per_class(held), offered=count_per_class(offers)
    )


def count_left(open_class: "CountedClass") -> int:
    return max(open_class.virtual_class.free_places - open_class.held - open_class.offered, 0)


def decide_open_classes() -> int:
    """Decide the classes past their deadline; return how many."""
    due = _list_undecided().filter(decides_at__lte=timezone.now())
    done = 0
    for class_id in due.order_by("decides_at").values_list("pk", flat=True)[:CLASSES_PER_SWEEP]:
        try:
            decided = decide_minimum(class_id)
        except DatabaseError:
            logger.exception("Open class %s is not decided yet.", class_id)
            continue
        if decided is not None:
            done += 1
            withdraw_event_if_possible(decided)
    return done


def warn_of_deadlines() -> int:
    """Mail the teacher, once, about each deadline within WARNING that too few people would meet."""
    now = timezone.now()
    near = _list_undecided().filter(decides_at__gt=now, decides_at__lte=now + WARNING)
    warned = 0
    for one in near.filter(created_at__lte=now - SETTLING_IN).select_related("virtual_class"):
        occasion = f"{one.decides_at:%Y%m%dT%H%M%S}"
        if one.virtual_class.guest_count < one.minimum:
            tell_teacher(NoticeKind.BELOW_MINIMUM, one.virtual_class, occasion)
            warned += 1
    return warned


@transaction.atomic
def decide_minimum(class_id: uuid.UUID) -> VirtualClass | None:
    """Let a class go on or cancel it; None if there is nothing to decide yet.

    The cancellation requests the refunds; the sweep sends them.
    """
    locked = lock_open_class(class_id)
    open_class = OpenClass.objects.get(pk=class_id)
    now = timezone.now()
    is_due = open_class.decision == MinimumDecision.WAITING and open_class.decides_at <= now
    if not locked.is_scheduled or not is_due:
        return None
    if locked.guest_count >= open_class.minimum or locked.start_time <= now:
        _go_on(open_class, locked, None)
        tell_teacher(NoticeKind.MINIMUM_DECIDED, locked)
        return locked
    if _is_awaited(open_class, locked, now):
        return None
    _decide(open_class, MinimumDecision.CALLED_OFF)
    reason = str(MinimumDecision.CALLED_OFF.label)
    call_off(locked, actor=None, reason=reason, case=RefundCase.BELOW_MINIMUM)
    tell_teacher(NoticeKind.MINIMUM_DECIDED, locked)
    return locked


@transaction.atomic
def go_on_anyway(*, class_id: uuid.UUID, actor: User) -> OpenClass:
    """Let a class go on with its people; repeated, change nothing.

    Raises ClassNotFoundError, ClassCancelledError; BookingError if it is not scheduled.
    """
    locked = lock_open_class(class_id)
    open_class = OpenClass.objects.get(pk=class_id)
    if locked.status == ClassStatus.CANCELLED:
        raise ClassCancelledError
    if not locked.is_scheduled:
        raise BookingError("La clase no está agendada.")
    if open_class.decision == MinimumDecision.WAITING:
        _go_on(open_class, locked, actor)
    return open_class


def _go_on(open_class: OpenClass, locked: VirtualClass, actor: User | None) -> None:
    _decide(open_class, MinimumDecision.GOES_ON)
    record_event(locked, ClassEvent.GOES_ON, actor=actor)
    people = locked.activities.values_list("user_id", flat=True)
    record_due(NoticeKind.GOES_ON, locked, people)


def _is_awaited(open_class: OpenClass, locked: VirtualClass, now: datetime) -> bool:
    grace = timedelta(minutes=BookingRules.load().hold_minutes)
    people = locked.guest_count + list_held_places(locked, now).count()
    return now < open_class.decides_at + grace and people >= open_class.minimum


def _decide(open_class: OpenClass, decision: MinimumDecision) -> None:
    open_class.decision = decision
    open_class.save(update_fields=["decision"])


def _list_undecided() -> QuerySet[OpenClass]:
    return OpenClass.objects.filter(
        decision=MinimumDecision.WAITING, virtual_class__status=ClassStatus.SCHEDULED
    )
