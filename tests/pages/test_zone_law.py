"""Pages and panel under a law that skips an hour and repeats another."""

from datetime import UTC, datetime, time, timedelta

import pytest
import time_machine
from django.http import QueryDict

from bookings.domain.money.prices import list_class_options
from bookings.models import BookingRules, WeeklyHours
from bookings.pages.choosing import read_choice
from bookings.panel.classes.class_forms import MoveForm
from tests.factories import VirtualClassFactory
from tests.zones import new_law

PATH = "/inicio/reservar"
SATURDAY = "2027-03-06"  # its last hour comes twice

pytestmark = pytest.mark.usefixtures("agenda")


@pytest.fixture(autouse=True)
def _law(tmp_path):
    with new_law(tmp_path):
        yield


def test_heading_names_the_offset_of_the_day_shown(client):
    """Today clocks are three hours behind UTC, from 6 December on two."""
    WeeklyHours.objects.create(weekday=0, start=time(9), end=time(12))

    before = client.get(PATH, {"dia": "2026-11-24"}).content.decode()
    after = client.get(PATH, {"dia": "2026-12-07"}).content.decode()

    assert ("UTC−3" in before, "UTC−2" in before) == (True, False)
    assert ("UTC−3" in after, "UTC−2" in after) == (False, True)


def test_hour_that_comes_twice_is_no_choice(client):
    def chosen(clock):
        query = QueryDict(f"tipo=individual&min=60&dia={SATURDAY}&hora={clock}")
        return read_choice(query, list_class_options()).start

    assert chosen("22:00") == datetime(2027, 3, 7, 0, tzinfo=UTC)
    assert chosen("23:00") is None


def test_hour_that_comes_twice_is_not_offered(client):
    BookingRules.objects.update(minimum_notice_minutes=0)
    WeeklyHours.objects.create(weekday=5, start=time(21), end=time(0))

    with time_machine.travel(datetime(2027, 3, 1, 12, tzinfo=UTC)):
        html = client.get(PATH, {"dia": SATURDAY, "min": "60"}).content.decode()

    assert 'value="22:00"' in html
    assert 'value="23:00"' not in html


@pytest.mark.parametrize(
    ("day", "clock"), [("2026-12-06", "00:30"), (SATURDAY, "23:30")], ids=["skipped", "repeated"]
)
def test_teacher_moves_no_class_to_an_hour_that_names_no_instant(host, day, clock):
    data = {"day": day, "clock": clock}

    form = MoveForm(data, VirtualClassFactory(booked_by=host))

    assert not form.is_valid()
    assert form.errors == {"clock": ["Ese día los relojes cambian a esa hora: elegí otra."]}


def test_teacher_moves_a_class_to_an_hour_of_the_new_law(host):
    data = {"day": "2026-12-07", "clock": "16:00"}

    form = MoveForm(data, VirtualClassFactory(booked_by=host))

    assert form.is_valid()
    assert form.start == datetime(2026, 12, 7, 16, tzinfo=UTC) + timedelta(hours=2)
