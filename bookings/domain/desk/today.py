"""The data of the panel's first page."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

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


@dataclass(frozen=True, slots=True)
class TeacherDay:
    """Today's classes, and the numbers of what needs the teacher.

    undecided: classes without a list price.
    """

    day: date
    classes: list[VirtualClass]
    paid_not_scheduled: int
    awaiting_payment: int
    undecided: int
    to_review: int
    has_hours: bool
    has_prices: bool
    calendar: CalendarState

    @property
    def is_ready(self) -> bool:
        return self.has_hours and self.has_prices and self.calendar == CalendarState.GRANTED


def load_teacher_day() -> TeacherDay:
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
    return TeacherDay(
        day=day,
        classes=list(classes.select_related("booked_by").order_by("start_time", "id")),
        paid_not_scheduled=waiting["paid"],
        awaiting_payment=waiting["unpaid"],
        undecided=waiting["undecided"],
        to_review=count_payments_to_review(),
        has_hours=WeeklyHours.objects.exists() or special.exists(),
        has_prices=list_prices().exists(),
        calendar=_calendar_state(),
    )


def _calendar_state() -> CalendarState:
    owner = find_calendar_owner()
    if owner is None and not settings.CALENDAR_SERVICE_ACCOUNT:
        return CalendarState.ABSENT
    return CalendarState.REVOKED if refused_since(owner) else CalendarState.GRANTED
