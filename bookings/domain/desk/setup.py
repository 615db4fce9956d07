"""The service's readiness to offer classes."""

from dataclasses import dataclass
from enum import StrEnum

from django.conf import settings

from accounts.selectors import find_calendar_owner
from bookings.availability.agenda import has_hours
from bookings.domain.calendar.grants import refused_since
from bookings.domain.money.prices import list_class_options


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
