"""A person's own classes: what host or guest may read, and may still change."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from bookings.domain.change_policy import find_cancelling_case, is_in_charge
from bookings.domain.exceptions import TooLateToChangeError
from bookings.domain.money.money_back import find_money_back
from bookings.domain.queries import get_class, get_class_of, latest_first, list_classes_of
from bookings.models import (
    ClassStatus,
    Purchase,
    PurchaseState,
    Role,
    VirtualClass,
    VirtualClassQuerySet,
    find_change_terms,
)


class Changes(NamedTuple):
    """None for a change that is not possible now. refund: centavos that cancelling refunds."""

    move_until: datetime | None
    cancel_until: datetime | None
    refund: int | None


NO_CHANGES = Changes(None, None, None)


@dataclass(frozen=True, slots=True)
class OwnClass:
    """price, is_paid: of the host's class or the guest's place; None for a guest who bought none.

    html_link, access_code: None while they open nothing. access_code, preference_id: for the host.
    """

    virtual_class: VirtualClass
    role: Role
    price: int | None
    is_paid: bool | None
    learning_focus: str | None
    html_link: str | None
    access_code: str | None
    preference_id: str | None
    changes: Changes


def get_own_class(user: User, class_id: uuid.UUID) -> OwnClass:
    """Raises ClassNotFoundError."""
    classes = _with_money(list_classes_of(user))
    return _describe([get_class(classes, pk=class_id)], user)[0]


def list_own_classes(user: User, *, before: uuid.UUID | None, most: int) -> list[OwnClass]:
    """List at most ``most`` classes, the latest start first.

    before: a class of the person; only earlier ones. Raises ClassNotFoundError.
    """
    last_seen = get_class_of(user, before) if before else None
    classes = latest_first(_with_money(list_classes_of(user)), last_seen)
    return _describe(classes[:most], user)


def find_conference_url(virtual_class: VirtualClass, now: datetime) -> str:
    """Return the link of a scheduled class that is not over; else an empty text."""
    return virtual_class.html_link if _is_open(virtual_class, now) else ""


def find_code_to_share(virtual_class: VirtualClass, user: User, now: datetime) -> str:
    """Return the host's access code while it opens the class; else an empty text."""
    purchase = virtual_class.purchase
    payment = purchase.find_payment() if purchase else None
    is_paid_back = payment is not None and payment.approved_at and payment.is_money_gone
    opens = _is_open(virtual_class, now) and virtual_class.takes_guests and not is_paid_back
    return (virtual_class.access_code or "") if opens and virtual_class.is_hosted_by(user) else ""


def _is_open(virtual_class: VirtualClass, now: datetime) -> bool:
    return virtual_class.is_scheduled and not virtual_class.has_ended(now)


def _with_money(classes: VirtualClassQuerySet) -> VirtualClassQuerySet:
    return classes.prefetch_related(
        "purchases__payment__charges__refunds",
        "purchases__entries__transfer",
        "purchases__refunds",
    )


def _describe(classes: Iterable[VirtualClass], user: User) -> list[OwnClass]:
    rows, now = list(classes), timezone.now()
    # A place that the person left is not theirs, even if they joined again by the code.
    cancelled = Q(state=PurchaseState.ENDED, virtual_class__status=ClassStatus.CANCELLED)
    bought = user.purchases.places().filter(Q(state=PurchaseState.PAID) | cancelled)
    latest_last = bought.filter(virtual_class__in=[row.pk for row in rows]).order_by("created_at")
    places = {place.virtual_class_id: place for place in latest_last}
    return [_describe_one(row, user, places.get(row.pk), now) for row in rows]


def _describe_one(
    virtual_class: VirtualClass, user: User, place: Purchase | None, now: datetime
) -> OwnClass:
    is_host = virtual_class.is_hosted_by(user)
    price, is_paid = (place.price, place.is_paid) if place else (None, None)
    if is_host:
        price, is_paid = virtual_class.class_price, virtual_class.is_paid
    has_preference = is_host and virtual_class.has_preference
    changes = _find_changes(virtual_class, user, now) if is_host else NO_CHANGES
    return OwnClass(
        virtual_class=virtual_class,
        role=Role.HOST if is_host else Role.PARTICIPANT,
        price=price,
        is_paid=is_paid,
        learning_focus=(virtual_class.shows_words and virtual_class.learning_focus) or None,
        html_link=find_conference_url(virtual_class, now) or None,
        access_code=find_code_to_share(virtual_class, user, now) or None,
        preference_id=virtual_class.preference_id if has_preference else None,
        changes=changes,
    )


def _find_changes(virtual_class: VirtualClass, host: User, now: datetime) -> Changes:
    is_closed = virtual_class.status in {ClassStatus.CANCELLED, ClassStatus.COMPLETED}
    if is_closed or virtual_class.has_ended(now):
        return NO_CHANGES
    try:
        case = find_cancelling_case(host, virtual_class, now)
    except TooLateToChangeError:
        return NO_CHANGES
    purchase, end = virtual_class.purchase, virtual_class.end_time
    refund = find_money_back(purchase, case).total if purchase else 0
    if not virtual_class.is_scheduled:
        return Changes(None, end, refund)
    until = end if is_in_charge(host) else find_change_terms(virtual_class, now).until
    return Changes(until, until, refund)
