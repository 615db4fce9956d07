"""What a student's tab does to book a trial class."""

from datetime import timedelta

from django.utils import timezone

from bookings.domain.sales.checkout import check_out_hold
from bookings.domain.sales.holds import hold_slot
from bookings.models import ClassType


def choose(user, trial, number):
    day = timezone.localtime() + timedelta(days=3 + number)
    start = day.replace(hour=10, minute=0, second=0, microsecond=0)
    return hold_slot(
        user=user, start=start, minutes=30, class_type=ClassType.INDIVIDUAL, offer=trial
    )


def check_out(user, hold):
    return check_out_hold(user=user, hold_id=hold.pk, students_count=1, seen=0)


def book(user, trial, number):
    """Choose a time and send its details."""
    return check_out(user, choose(user, trial, number))
