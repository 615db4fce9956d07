"""availability/agenda.py: what is read, and how often."""

from datetime import time, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User
from bookings.availability.agenda import load_agenda
from bookings.models import ClassStatus, VirtualClass, WeeklyHours
from calendar_sync import read_listing
from tests.factories import UserFactory

HOUR = timedelta(hours=1)


@pytest.fixture(autouse=True)
def _hours(teacher: User) -> None:
    for weekday in range(7):
        WeeklyHours.objects.create(weekday=weekday, start=time(9), end=time(18))


def add_past_classes(count: int) -> None:
    """Store classes that took place, an hour apart, all of them still marked as scheduled."""
    host, now = UserFactory(), timezone.now()
    VirtualClass.objects.bulk_create(
        [
            VirtualClass(
                booked_by=host,
                preference_id=f"past-{n}",
                start_time=now - (n + 12) * HOUR,
                end_time=now - (n + 11) * HOUR,
                utc_offset=-180,
                class_type="individual",
                class_price=0,
                max_participants=1,
                current_participants=1,
                status=ClassStatus.SCHEDULED,
                host_type="anfitrion",
                access_code=f"{n:08d}",
                provider_event_id=f"past{n}",
                html_link="https://meet.google.com/abc-defg-hij",
                summary="x",
            )
            for n in range(count)
        ],
        batch_size=2000,
    )


def find_slots() -> tuple[int, list[str]]:
    """Look for the free times of 30 days; give their number and the statements it took."""
    today = timezone.localdate()
    with CaptureQueriesContext(
        connection,
    ) as queries:
        agenda = load_agenda(today, today + timedelta(days=30))
    slots = agenda.find_free_slots(HOUR)
    return sum(map(len, slots.values())), [query["sql"] for query in queries]


@pytest.mark.parametrize("classes", [10, 200])
def test_load_agenda_costs_six_queries_whatever_the_past_holds(classes, teacher):
    read_listing(find_refresh_token=lambda: teacher.provider_refresh_token)
    free, _ = find_slots()
    add_past_classes(classes)

    found, statements = find_slots()

    assert found == free > 0
    assert len(statements) == 6
