"""The world whose pages are read."""

from datetime import time

import pytest
import time_machine

from bookings.models import BookingRules, Price, WeeklyHours
from tests.factories import UserFactory
from tests.i18n.world import NOW, World


@pytest.fixture(params=["es-ar", "en"])
def language(request):
    """Each language that pages speak."""
    return request.param


@pytest.fixture
def world(language, db, google, teacher, settings, monkeypatch):
    """A world whose people read the language."""
    settings.SITE_NAME = "Clases"
    WeeklyHours.objects.bulk_create(
        WeeklyHours(weekday=weekday, start=time(9), end=time(22)) for weekday in range(5)
    )
    Price.objects.bulk_create(
        Price(
            class_type=class_type,
            minutes=minutes,
            students_up_to=students,
            amount=amount,
            valid_from="2026-01-01",
        )
        for class_type, minutes, students, amount in [
            ("individual", 60, 1, 1_500_000),
            ("individual", 90, 1, 2_100_050),
            ("grupal", 60, 3, 2_400_000),
            ("grupal", 60, 6, 3_600_000),
        ]
    )
    BookingRules(minimum_notice_minutes=60).save()
    people = [
        UserFactory(name=name, email=email, language=language)
        for name, email in [("Ana Álvarez", "ana@example.com"), ("Bruno Bravo", "b@example.com")]
    ]
    teacher.language = language
    teacher.save()
    with time_machine.travel(NOW, tick=False):
        yield World(language, google, teacher, *people, settings, monkeypatch)
