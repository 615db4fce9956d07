"""Prices, and a time that is kept for a checkout."""

from datetime import timedelta

from django.utils import timezone

from bookings.domain.sales.checkout import check_out_hold
from bookings.models import (
    ClassType,
    Price,
)
from tests.factories import HoldFactory

START = (timezone.now() + timedelta(days=7)).replace(minute=0, second=0, microsecond=0)
END = START + timedelta(hours=1)


def add_prices():
    """An hour alone, and one for up to four."""
    for class_type, students, amount in (("individual", 1, 1_250_050), ("grupal", 4, 2_400_000)):
        Price.objects.create(
            class_type=class_type,
            minutes=60,
            students_up_to=students,
            amount=amount,
            valid_from="2026-01-01",
        )


def keep(user, *, start=START, class_type=ClassType.INDIVIDUAL, minutes=15):
    return HoldFactory(
        user=user,
        start_time=start,
        end_time=start + timedelta(hours=1),
        class_type=class_type,
        expires_at=timezone.now() + timedelta(minutes=minutes),
    )


def check_out(user, hold, students=1):
    return check_out_hold(
        user=user, hold_id=hold.pk, students_count=students, words={"learning_focus": "Travel"}
    )
