"""Setting up: what is missing before the service offers a class, and the teacher's first steps."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import time
from typing import IO

from django.db import transaction
from django.utils import timezone

from bookings.availability.agenda import has_hours
from bookings.domain.calendar.grant import CONNECTED, AccessState, describe_access
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


@dataclass(frozen=True, slots=True)
class Setup:
    has_hours: bool
    has_prices: bool
    calendar: AccessState

    @property
    def is_new(self) -> bool:
        return not (self.has_hours or self.has_prices)

    @property
    def has_calendar(self) -> bool:
        return self.calendar in CONNECTED

    @property
    def is_ready(self) -> bool:
        return self.has_hours and self.has_prices and self.has_calendar


def load_setup() -> Setup:
    return Setup(
        has_hours=has_hours(),
        has_prices=bool(list_class_options()),
        calendar=describe_access(is_down=False),
    )
