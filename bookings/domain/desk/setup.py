"""The service's readiness to offer classes, and the first setup: page, hours and prices at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import time
from enum import StrEnum
from typing import IO

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.selectors import find_calendar_owner
from bookings.availability.agenda import has_hours
from bookings.domain.calendar.grant import refused_since
from bookings.domain.desk.hours import set_weekly_hours
from bookings.domain.desk.own_page import lock_teacher_page, set_photo
from bookings.domain.exceptions import AlreadySetUpError
from bookings.domain.money.prices import list_class_options
from bookings.models import ClassType, Price, Weekday


@dataclass(frozen=True, slots=True)
class FirstOffer:
    """Centavos for a whole class."""

    minutes: int
    amount: int
    group_amount: int | None = None
    group_size: int = 0


@transaction.atomic
def take_first_steps(
    *,
    name: str,
    subject: str,
    days: Sequence[Weekday],
    start: time,
    end: time,
    offer: FirstOffer,
    photo: IO[bytes] | None = None,
) -> None:
    """Write the teacher's page, the same hours for each day, and prices from today on.

    end: 00:00 for the end of the day. Raises AlreadySetUpError, ImpossibleHoursError, PhotoError,
    without writing.
    """
    page = lock_teacher_page()
    if not load_setup().is_new:
        raise AlreadySetUpError
    page.name, page.subject = name, subject
    page.save(update_fields=["name", "subject"])
    set_weekly_hours({day: [(start, end)] for day in days})
    Price.objects.bulk_create(_list_prices(offer))
    if photo:
        set_photo(photo)


def _list_prices(offer: FirstOffer) -> list[Price]:
    cases = [
        (ClassType.INDIVIDUAL, 1, offer.amount),
        (ClassType.GROUP, offer.group_size, offer.group_amount),
    ]
    return [
        Price(
            class_type=class_type,
            minutes=offer.minutes,
            students_up_to=students,
            amount=amount,
            valid_from=timezone.localdate(),
        )
        for class_type, students, amount in cases
        if amount is not None
    ]


class CalendarState(StrEnum):
    GRANTED = "granted"
    REVOKED = "revoked"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Setup:
    has_hours: bool
    has_prices: bool
    calendar: CalendarState

    @property
    def is_new(self) -> bool:
        return not (self.has_hours or self.has_prices)

    @property
    def is_ready(self) -> bool:
        return self.has_hours and self.has_prices and self.calendar == CalendarState.GRANTED


def load_setup() -> Setup:
    return Setup(
        has_hours=has_hours(),
        has_prices=bool(list_class_options()),
        calendar=_find_calendar_state(),
    )


def _find_calendar_state() -> CalendarState:
    owner = find_calendar_owner()
    if owner is None and not settings.CALENDAR_SERVICE_ACCOUNT:
        return CalendarState.ABSENT
    return CalendarState.REVOKED if refused_since(owner) else CalendarState.GRANTED
