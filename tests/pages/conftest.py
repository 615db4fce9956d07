"""A teacher with hours and prices, on a fixed day."""

from collections.abc import Iterator
from datetime import date, time

import pytest
import time_machine

from accounts.models import User
from bookings.models import Price, WeeklyHours
from tests.pages.moments import NOW


@pytest.fixture
def agenda(teacher: User) -> Iterator[None]:
    """Tuesdays from nine to one and from six to ten, on offer since January; today is Monday."""
    for start, end in ((time(9), time(13)), (time(18), time(22))):
        WeeklyHours.objects.create(weekday=1, start=start, end=end)
    for class_type, minutes, students, amount in [
        ("individual", 30, 1, 900_000),
        ("individual", 60, 1, 1_500_000),
        ("grupal", 60, 3, 2_400_000),
        ("grupal", 60, 5, 3_600_000),
    ]:
        Price.objects.create(
            class_type=class_type,
            minutes=minutes,
            students_up_to=students,
            amount=amount,
            valid_from=date(2026, 1, 1),
        )
    with time_machine.travel(NOW, tick=False):
        yield
