"""Queries that pages, API, panel and domain share."""

import uuid
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet
from django.utils import timezone

from accounts.models import User
from bookings.domain.exceptions import ClassNotFoundError
from bookings.models import (
    MONEY_GONE,
    UNPAID_STATES,
    BankTransfer,
    ClassStatus,
    Hold,
    HoldQuerySet,
    Payment,
    PriceDecision,
    Purchase,
    PurchaseKind,
    PurchaseState,
    Refund,
    UserActivity,
    VirtualClass,
    VirtualClassQuerySet,
)
from bookings.money_state import with_class_money


def get_class(classes: QuerySet[VirtualClass], **lookup: Any) -> VirtualClass:
    """Raises ClassNotFoundError."""
    try:
        return classes.get(**lookup)
    except VirtualClass.DoesNotExist:
        raise ClassNotFoundError from None


def get_class_by_preference(preference_id: str) -> VirtualClass:
    """Raises ClassNotFoundError."""
    classes = VirtualClass.objects.select_related("booked_by")
    return get_class(classes, preference_id=preference_id)


def get_class_of(user: User, class_id: uuid.UUID) -> VirtualClass:
    """Raises ClassNotFoundError."""
    return get_class(list_classes_of(user), pk=class_id)


def list_payments_of(user: User) -> QuerySet[Payment]:
    return Payment.objects.filter(purchase__person=user).select_related(
        "purchase__person",
        "purchase__virtual_class__booked_by",
        "purchase__virtual_class__offer",
        "purchase__virtual_class__open_class",
        "purchase__hold",
    )


def list_classes_of(user: User) -> VirtualClassQuerySet:
    """With host, sale, and the link that decides which words are shown."""
    # A union, because PostgreSQL answers an OR of both by reading every class.
    booked = VirtualClass.objects.filter(booked_by=user).order_by().values("pk")
    joined = UserActivity.objects.filter(user=user).values("virtual_class")
    mine = VirtualClass.objects.filter(pk__in=booked.union(joined))
    return with_purchases(mine).select_related("booked_by", "offer", "open_class", "link")


def with_purchases(classes: VirtualClassQuerySet) -> VirtualClassQuerySet:
    """Prefetch what ``VirtualClass.purchase`` reads, with its checkout and hold."""
    purchases = Purchase.objects.select_related("payment", "hold")
    return classes.prefetch_related(Prefetch("purchases", purchases))


def list_next_classes_of(user: User) -> VirtualClassQuerySet:
    ahead = list_classes_of(user).ahead(timezone.now())
    return ahead.order_by("start_time", "id")


def list_all_ahead_of(user: User) -> VirtualClassQuerySet:
    """List the classes ahead, cancelled, lapsed and lost ones too; the nearest first."""
    ahead = list_classes_of(user).filter(end_time__gt=timezone.now())
    return ahead.order_by("start_time", "id")


def list_past_classes_of(user: User, before: VirtualClass | None = None) -> VirtualClassQuerySet:
    """The latest first, only those earlier than ``before``."""
    past = list_classes_of(user).filter(end_time__lte=timezone.now())
    return latest_first(past, before)


def latest_first(
    classes: VirtualClassQuerySet, before: VirtualClass | None = None
) -> VirtualClassQuerySet:
    """Sort classes; with ``before``, keep only the earlier ones."""
    if before:
        earlier = Q(start_time__lt=before.start_time)
        classes = classes.filter(earlier | Q(start_time=before.start_time, id__lt=before.pk))
    return classes.order_by("-start_time", "-id")


def list_undecided() -> VirtualClassQuerySet:
    return VirtualClass.objects.undecided().filter(end_time__gt=timezone.now())


def list_awaiting_payment() -> VirtualClassQuerySet:
    """List the unpaid classes ahead that can be paid, without undecided prices.

    A class without a preference is paid by hand, also after its hold.
    """
    now = timezone.now()
    unpaid = Purchase.objects.classes().filter(state__in=UNPAID_STATES)
    lost = Exists(unpaid.filter(virtual_class=OuterRef("pk"), state=PurchaseState.LAPSED))
    pending = VirtualClass.objects.filter(
        Exists(unpaid.filter(virtual_class=OuterRef("pk"))),
        status=ClassStatus.PENDING,
        end_time__gt=now,
    )
    payable = pending.exclude(price_decision=PriceDecision.WAITING)
    by_hand = payable.filter(has_preference=False).exclude(lost)
    return (payable.without_lapsed(now) | by_hand).order_by("start_time", "id")


def list_participants(virtual_class: VirtualClass) -> QuerySet[UserActivity]:
    """List the activities, the host's first."""
    return virtual_class.activities.select_related("user").order_by("rol", "created_at", "id")


def list_money_gone(class_id: uuid.UUID | OuterRef) -> QuerySet[Payment]:
    """List the class's payment if all of it went back.

    Money that was never approved does not count: the class was paid in another way.
    """
    approved = Payment.objects.filter(approved_at__isnull=False, status__in=MONEY_GONE)
    return approved.filter(purchase__kind=PurchaseKind.CLASS, purchase__virtual_class=class_id)


def list_overlapping_scheduled(virtual_class: VirtualClass) -> VirtualClassQuerySet:
    between = list_scheduled_between(virtual_class.start_time, virtual_class.end_time)
    return between.exclude(pk=virtual_class.pk)


def list_scheduled_between(start: datetime, end: datetime) -> VirtualClassQuerySet:
    return VirtualClass.objects.filter(status=ClassStatus.SCHEDULED).overlapping(start, end)


def list_classes_between(start: datetime, end: datetime) -> QuerySet[VirtualClass]:
    """List the classes that overlap a time, are not over, and are paid or can be."""
    now = timezone.now()
    near = VirtualClass.objects.overlapping(start, end).filter(end_time__gt=now)
    open_ones = near.filter(status__in=[ClassStatus.SCHEDULED, ClassStatus.PENDING])
    about = "booked_by", "offer", "open_class"
    listed = with_class_money(open_ones.without_lapsed(now)).select_related(*about)
    return listed.order_by("start_time", "id")


def is_time_taken(virtual_class: VirtualClass, now: datetime, *, ends_holds: bool = False) -> bool:
    """True if a scheduled class, or another person's hold, overlaps this class.

    ends_holds: if True, ignore unpaid holds.
    """
    if list_overlapping_scheduled(virtual_class).exists():
        return True
    held = list_holds_over(virtual_class).live(now)
    if ends_holds:
        held = held.filter(purchase__paid_at__isnull=False)
    return held.exclude(user_id=virtual_class.booked_by_id).exists()


def list_holds_over(virtual_class: VirtualClass) -> HoldQuerySet:
    """List the overlapping holds, expired ones too."""
    return Hold.objects.overlapping(virtual_class.start_time, virtual_class.end_time)


def list_awaiting_between(start: datetime, end: datetime) -> VirtualClassQuerySet:
    """List the overlapping paid classes that wait for the calendar."""
    waiting = VirtualClass.objects.awaiting_calendar().overlapping(start, end)
    return with_purchases(waiting).select_related("booked_by").order_by("start_time", "id")


def list_transfers_to_decide() -> QuerySet[BankTransfer]:
    announced = BankTransfer.objects.announced().with_purchases()
    return announced.order_by("announced_at", "id")


def list_returns_to_make() -> QuerySet[Refund]:
    """List what the teacher promised to return herself, the oldest first."""
    about = "purchase__person", "purchase__virtual_class__open_class", "transfer"
    owed = Refund.objects.by_hand().open().select_related(*about)
    return owed.order_by("created_at", "id")
