"""Payments flagged for review by the teacher."""

import uuid

from django.utils import timezone

from accounts.models import User
from bookings.models import Payment, ReviewReason


def count_payments_to_review() -> int:
    return Payment.objects.exclude(review=ReviewReason.NONE).count()


def put_aside(*, payment_id: uuid.UUID, reason: str, by: User) -> bool:
    """Unflag a payment; False if ``reason`` is outdated."""
    now = timezone.now()
    flagged = Payment.objects.filter(pk=payment_id, review=reason).exclude(review=ReviewReason.NONE)
    return bool(
        flagged.update(review=ReviewReason.NONE, reviewed_at=now, reviewed_by=by, updated_at=now)
    )
