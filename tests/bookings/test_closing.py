"""domain/desk/hours.py: days and hours without classes."""

from datetime import date, time

import pytest

from bookings.availability.agenda import load_hours
from bookings.domain.desk.hours import (
    block_days,
    block_hours,
    restore_hours,
    unblock_days,
    unblock_hours,
)
from bookings.models import Closure, SpecialHours, WeeklyHours
from bookings.templatetags.class_times import clock

pytestmark = pytest.mark.django_db

TUESDAY = date(2026, 11, 24)
MIDNIGHT = time(0)


@pytest.fixture(autouse=True)
def _hours():
    """Tuesdays from nine to one, and from four to midnight."""
    WeeklyHours.objects.create(weekday=1, start=time(9), end=time(13))
    WeeklyHours.objects.create(weekday=1, start=time(16), end=MIDNIGHT)


def day(number):
    return date(2026, 11, number)


def hours_of(on=TUESDAY):
    """Write the opening hours of a day."""
    openings = load_hours(on, on).openings
    return " ".join(f"{clock(one.start)}-{clock(one.end)}" for one in sorted(openings))


def closed_days():
    return [(one.first_day.day, one.last_day.day) for one in Closure.objects.order_by("first_day")]


USUAL = "09:00-13:00 16:00-00:00"


@pytest.mark.parametrize(
    ("start", "end", "left"),
    [
        (time(10), time(11), "09:00-10:00 11:00-13:00 16:00-00:00"),
        (time(8), time(9, 30), "09:30-13:00 16:00-00:00"),
        (time(12), time(17), "09:00-12:00 17:00-00:00"),
        (time(12), MIDNIGHT, "09:00-12:00"),
        (time(13), time(16), USUAL),
        (time(9), MIDNIGHT, ""),
    ],
    ids=["middle", "edge", "both", "rest of the day", "outside", "everything"],
)
def test_blocked_hours_are_no_longer_open_and_can_be_opened(start, end, left):
    block_hours(day=TUESDAY, start=start, end=end)
    blocked = hours_of()

    restore_hours(TUESDAY)

    assert blocked == left
    assert hours_of() == USUAL
    assert not SpecialHours.objects.exists()
    assert not Closure.objects.exists()


def test_hours_that_are_opened_one_by_one_end_as_the_usual_ones():
    block_hours(day=TUESDAY, start=time(10), end=time(12))
    unblock_hours(day=TUESDAY, start=time(10), end=time(11))
    half = hours_of()
    unblock_hours(day=TUESDAY, start=time(11), end=time(12))

    assert half == "09:00-11:00 12:00-13:00 16:00-00:00"
    assert hours_of() == USUAL
    assert not SpecialHours.objects.exists()


def test_an_hour_of_a_closed_day_opens_alone():
    block_days(first_day=day(23), last_day=day(25))

    unblock_hours(day=TUESDAY, start=time(10), end=time(11))

    assert hours_of() == "10:00-11:00"
    assert closed_days() == [(23, 25)]


def test_blocking_a_day_closes_its_special_hours_too():
    block_hours(day=TUESDAY, start=time(10), end=time(11))

    block_days(first_day=TUESDAY, last_day=TUESDAY)

    assert hours_of() == ""


def test_blocking_the_same_days_again_changes_nothing():
    block_days(first_day=day(20), last_day=day(30), reason="Viaje")

    block_days(first_day=day(24), last_day=day(26))

    assert closed_days() == [(20, 30)]


@pytest.mark.parametrize(
    ("first", "last", "left"),
    [
        (20, 30, []),
        (24, 24, [(20, 23), (25, 30)]),
        (18, 25, [(26, 30)]),
        (26, 31, [(20, 25)]),
        (1, 3, [(20, 30)]),
    ],
)
def test_opening_some_days_leaves_the_others_closed(first, last, left):
    block_days(first_day=day(20), last_day=day(30), reason="Viaje")

    unblock_days(first_day=day(first) if first < 31 else day(30), last_day=day(min(last, 30)))

    assert closed_days() == left
    assert set(Closure.objects.values_list("reason", flat=True)) <= {"Viaje"}
