"""Reviewing: what about money only a person can decide, until she has."""

import uuid

from django.utils import timezone

from accounts.models import User
from bookings.models import Payment, ReviewReason


def count_payments_to_review() -> int:
    """Count the payments that wait for a person."""
    return Payment.objects.exclude(review=ReviewReason.NONE).count()


def put_aside(*, payment_id: uuid.UUID, reason: str, by: User) -> bool:
    """Note that a person has dealt with what a payment was flagged for; only news flag it again.

    reason: what she saw; False, and nothing is noted, when something else has come up meanwhile.
    """
    now = timezone.now()
    flagged = Payment.objects.filter(pk=payment_id, review=reason).exclude(review=ReviewReason.NONE)
    return bool(
        flagged.update(review=ReviewReason.NONE, reviewed_at=now, reviewed_by=by, updated_at=now)
    )
