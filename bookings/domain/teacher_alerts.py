"""Alerting: the teacher is told of money, or of the calendar, when a person has to look at it."""

import logging

from django.utils import timezone

from accounts.selectors import find_teacher
from bookings.models import NoticeKind, Payment, ReviewReason, VirtualClass
from bookings.notices.due import record_alert, record_due

logger = logging.getLogger(__name__)


def flag_for_review(payment: Payment, reason: str) -> None:
    """Mark a payment for the teacher to look at, and tell her; the caller saves the payment.

    Call it inside the transaction that finds the reason.
    """
    if reason == payment.review:
        return
    payment.review = reason
    if reason == ReviewReason.NONE:
        return
    logger.warning("Payment %s needs a person: %s", payment.pk, reason)
    # Put aside and flagged again, it is another occasion.
    occasion = f"{reason} {timezone.now():%Y%m%d%H%M%S}"
    if payment.virtual_class is not None:
        tell_teacher(NoticeKind.TO_REVIEW, payment.virtual_class, occasion)
    elif teacher := find_teacher():
        alone = f"{payment.short_reference} {occasion}"
        record_alert(NoticeKind.UNBOOKED_TO_REVIEW, teacher, alone)


def tell_teacher(kind: NoticeKind, virtual_class: VirtualClass, occasion: str = "") -> None:
    """Promise the teacher a mail about the money or the event of a class, once an occasion."""
    teacher = find_teacher()
    if teacher is not None:
        record_due(kind, virtual_class, [teacher.pk], occasion)
