"""The data of the panel's first page."""

from enum import StrEnum
from typing import Any

from django.conf import settings
from django.db.models import Count, Q
from django.utils import timezone

from accounts.selectors import find_calendar_owner
from bookings.availability.agenda import whole_days
from bookings.domain.calendar.access import refused_since
from bookings.domain.money.prices import list_prices
from bookings.domain.money.reviews import count_payments_to_review
from bookings.models import ClassStatus, PriceDecision, SpecialHours, VirtualClass, WeeklyHours


class CalendarState(StrEnum):
    GRANTED = "granted"
    REVOKED = "revoked"
    ABSENT = "absent"


def load_teacher_day() -> dict[str, Any]:
    """Return today's classes, and the numbers of what needs the teacher."""
    now = timezone.now()
    day = timezone.localdate(now)
    whole = whole_days(day, day)
    classes = VirtualClass.objects.filter(
        status__in=[ClassStatus.SCHEDULED, ClassStatus.COMPLETED],
        start_time__gte=whole.start,
        start_time__lt=whole.end,
    )
    waiting = VirtualClass.objects.filter(status=ClassStatus.PENDING).aggregate(
        paid=Count("pk", filter=Q(paid_at__isnull=False)),
        unpaid=Count("pk", filter=Q(paid_at=None, end_time__gt=now)),
        undecided=Count("pk", filter=Q(price_decision=PriceDecision.WAITING, end_time__gt=now)),
    )
    special = SpecialHours.objects.filter(day__gte=day)
    has_hours = WeeklyHours.objects.exists() or special.exists()
    has_prices, calendar = list_prices().exists(), _calendar_state()
    return {
        "day": day,
        "classes": list(classes.select_related("booked_by").order_by("start_time", "id")),
        "paid_not_scheduled": waiting["paid"],
        "awaiting_payment": waiting["unpaid"],
        "undecided": waiting["undecided"],  # classes without a list price
        "to_review": count_payments_to_review(),
        "has_hours": has_hours,
        "has_prices": has_prices,
        "calendar": calendar,
        "is_ready": has_hours and has_prices and calendar == CalendarState.GRANTED,
    }


def _calendar_state() -> CalendarState:
    owner = find_calendar_owner()
    if owner is None and not settings.CALENDAR_SERVICE_ACCOUNT:
        return CalendarState.ABSENT
    return CalendarState.REVOKED if refused_since(owner) else CalendarState.GRANTED
