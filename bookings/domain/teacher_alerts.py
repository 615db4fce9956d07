"""Mails to the teacher about classes and payments."""

import logging
from datetime import datetime, timedelta

from django.utils import timezone

from accounts.models import User
from accounts.selectors import find_teacher
from bookings.models import (
    BookingRules,
    ClassEvent,
    NoticeKind,
    Payment,
    Purchase,
    ReviewReason,
    VirtualClass,
)
from bookings.notices.due import gather_for_day, plan_mail, record_alert, record_due
from config.lib.throttling import is_too_often
from config.lib.wall_time import find_next

logger = logging.getLogger(__name__)

# Anybody can book at any price, so one mail for each booking could be too many.
ASK_EVERY = timedelta(hours=1)


def flag_for_review(payment: Payment, reason: str) -> None:
    """Flag a payment and mail the teacher; the caller saves."""
    if reason == payment.review:
        return
    payment.review = reason
    if reason == ReviewReason.NONE:
        return
    logger.warning("Payment %s needs a person: %s", payment.pk, reason)
    # A payment that is reviewed and flagged again is another occasion.
    occasion = f"{reason} {timezone.now():%Y%m%d%H%M%S}"
    booked = payment.purchase.virtual_class
    if booked is not None and payment.purchase.is_place:
        about = f"{payment.short_reference} {occasion}"
        tell_teacher(NoticeKind.SEAT_TO_REVIEW, booked, about)
    elif booked is not None:
        tell_teacher(NoticeKind.TO_REVIEW, booked, occasion)
    elif teacher := find_teacher():
        alone = f"{payment.short_reference} {occasion}"
        record_alert(NoticeKind.UNBOOKED_TO_REVIEW, teacher, alone)


def tell_teacher(
    kind: NoticeKind,
    virtual_class: VirtualClass,
    occasion: str = "",
    *,
    due_at: datetime | None = None,
) -> None:
    """Mail the teacher once for each occasion, or plan the mail."""
    teacher = find_teacher()
    if teacher is None:
        return
    if due_at is None:
        record_due(kind, virtual_class, [teacher.pk], occasion)
    else:
        plan_mail(kind, virtual_class, teacher.pk, due_at=due_at, occasion=occasion)


def ask_for_agreement(virtual_class: VirtualClass) -> None:
    """Mail the teacher about a price outside her list: once a class, and one such mail an hour.

    The next look at a paid class asks again; the panel lists them all.
    """
    if not is_too_often("prices-asked", "teacher", limit=1, window=ASK_EVERY):
        tell_teacher(NoticeKind.PRICE_TO_DECIDE, virtual_class)


def tell_of_booking(booked: VirtualClass, by: User | None) -> None:
    """Mail the teacher, once, about a class that became certain, or that she is paid for by hand.

    by: the person who did that. No mail is sent if it was the teacher, or if she booked it.
    """
    is_hers = booked.booked_by.is_staff or (by is not None and by.is_staff)
    if is_hers or booked.log.filter(event=ClassEvent.BOOKED_FOR).exists():
        return
    _tell_of_sale(NoticeKind.NEW_BOOKING, booked, "")


def tell_of_sale(purchase: Purchase, by: User | None = None) -> None:
    """Mail the teacher, once, about what became certain, or what she is paid for by hand.

    by: as for ``tell_of_booking``.
    """
    if purchase.is_place:
        _tell_of_sale(NoticeKind.SEAT_SOLD, purchase.booked_class, str(purchase.pk))
    else:
        tell_of_booking(purchase.booked_class, by)


def _tell_of_sale(kind: NoticeKind, virtual_class: VirtualClass, occasion: str) -> None:
    teacher = find_teacher()
    if teacher is None:
        return
    clock = BookingRules.load().daily_mail_at
    if clock is None:
        record_due(kind, virtual_class, [teacher.pk], occasion)
    else:
        at = find_next(clock, timezone.now())
        gather_for_day(kind, virtual_class, teacher.pk, occasion, at)
