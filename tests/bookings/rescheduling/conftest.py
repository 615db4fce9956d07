"""The Friday before, and a class on Tuesday."""

from datetime import time

import pytest
import time_machine

from bookings.domain.classes.scheduling import schedule_class
from bookings.models import BookingRules, Price, WeeklyHours
from tests.bookings.rescheduling.steps import NOW, at
from tests.factories import VirtualClassFactory


@pytest.fixture(autouse=True)
def _agenda(teacher):
    """Tuesdays from nine to noon, without pauses between classes; today is the Friday before."""
    BookingRules.objects.update_or_create(
        pk=1, defaults={"buffer_before_minutes": 0, "buffer_after_minutes": 0}
    )
    WeeklyHours.objects.create(weekday=1, start=time(9), end=time(12))
    Price.objects.create(
        class_type="individual", minutes=60, amount=1_500_000, valid_from="2026-01-01"
    )
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def scheduled(host, teacher):
    """Ana's class on Tuesday at ten, in the calendar."""
    pending = VirtualClassFactory(booked_by=host, start_time=at("10:00"))
    return schedule_class(preference_id=pending.preference_id)
