"""The week's page."""

import re
from datetime import time, timedelta

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse
from django.utils import timezone

from bookings.models import ClassStatus, Closure, VirtualClass, WeeklyHours
from tests.factories import HoldFactory, UserFactory, VirtualClassFactory
from tests.pages.texts import plain_text_of
from tests.panel.moments import MONDAY, NOW, at, days_later

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


@pytest.fixture
def look(panel):
    """Open a week and read its text."""

    def open_week(semana: str = "") -> str:
        return plain_text_of(panel.get(reverse("admin:week"), {"semana": semana}))

    return open_week


@pytest.fixture
def blocks(panel):
    """Open this week and give the kinds of its blocks, in their order."""

    def open_week() -> list[str]:
        page = panel.get(reverse("admin:week")).content.decode()
        return re.findall(r'<li class="week-block week-block-(\w+)', page)

    return open_week


def add_event(google, start, end):
    google.add_event(
        summary="Dentista",
        start={"dateTime": start.isoformat()},
        end={"dateTime": end.isoformat()},
    )


def test_a_scheduled_class_shows_who_and_what_and_leads_to_its_sheet(panel, host):
    virtual_class = VirtualClassFactory(scheduled=True, booked_by=host, start_time=at("15:00"))

    page = panel.get(reverse("admin:week"))

    assert "15:00 a 16:00 Ana Host Grupal, 1 de 5 · Por pagar" in plain_text_of(page)
    assert str(virtual_class.pk) not in plain_text_of(page)
    assert reverse("admin:class_sheet", args=[virtual_class.pk]) in page.content.decode()


def test_the_event_of_a_class_is_no_appointment(blocks, google):
    VirtualClassFactory(scheduled=True, start_time=at("15:00") + timedelta(microseconds=5))
    add_event(google, at("15:00"), at("16:00"))
    add_event(google, at("15:30"), at("16:30"))

    assert blocks() == ["scheduled", "appointment"]


def test_what_the_teacher_does_elsewhere_stays_private(look, google):
    add_event(google, at("15:00"), at("16:00"))

    assert "Dentista" not in look()


def test_a_class_shows_as_what_it_is(blocks):
    for clock, fields in (
        ("09:00", {}),  # its hold has ended without a payment
        ("10:00", {"paid_at": NOW}),  # over
        ("13:00", {"status": ClassStatus.CANCELLED}),
        ("14:00", {}),
        ("15:00", {"paid_at": NOW}),
        ("16:00", {"status": ClassStatus.COMPLETED}),
        ("17:00", {"kept_until": NOW}),  # its time to pay is over
    ):
        VirtualClassFactory(start_time=at(clock), **fields)

    assert blocks() == ["paid", "pending", "paid", "completed"]


def test_hours_and_closures_show(look):
    WeeklyHours.objects.create(weekday=0, start=time(9), end=time(13))
    WeeklyHours.objects.create(weekday=4, start=time(9), end=time(13))
    Closure.objects.create(first_day=days_later(4), last_day=days_later(9), reason="Viaje")

    page = look()

    assert "Lun 16 nov hoy Bloquear 09:00 a 13:00" in page
    assert "Mar 17 nov Bloquear Sin horario" in page
    assert "Vie 20 nov Abrir Cerrado: Viaje" in page


@pytest.fixture
def hours(panel):
    """Open this week and give the hours that can be tapped: of which day, from when, until when."""

    def open_week(look: str) -> list[str]:
        page = panel.get(reverse("admin:week")).content.decode()
        pattern = (
            rf'<li class="week-{look} [^>]*>\s*<a href="[^"]*inicio=([^"&]+)&amp;hasta=([\d:]+)'
        )
        return [f"{start}-{end}" for start, end in re.findall(pattern, page)]

    return open_week


def test_the_free_hours_ahead_can_be_tapped(hours):
    WeeklyHours.objects.create(weekday=0, start=time(10), end=time(16, 30))
    VirtualClassFactory(scheduled=True, start_time=at("13:30"))

    assert hours("free") == [
        "2026-11-16T12:00-13:00",
        "2026-11-16T13:00-13:30",
        "2026-11-16T14:30-15:00",
        "2026-11-16T15:00-16:00",
        "2026-11-16T16:00-16:30",
    ]
    assert hours("blocked") == []


def test_staff_who_may_only_look_see_no_buttons(hours, look, teacher):
    WeeklyHours.objects.create(weekday=0, start=time(14), end=time(17))
    teacher.is_superuser = False
    teacher.save()
    teacher.user_permissions.set(Permission.objects.filter(codename="view_virtualclass"))

    assert hours("free") == []
    assert "Bloquear" not in look()


def test_without_the_calendar_the_rest_still_shows(look, teacher, google):
    VirtualClassFactory(scheduled=True, start_time=at("15:00"))
    google.revoke(teacher.provider_refresh_token)

    page = look()

    assert "No pudimos leer tu calendario de Google." in page
    assert "15:00 a 16:00" in page


@pytest.mark.parametrize(
    ("semana", "title"),
    [
        ("", "Semana del 16 al 22 de noviembre de 2026"),
        ("2026-11-24", "Semana del 23 al 29 de noviembre de 2026"),
        ("2026-W49", "Semana del 30 de noviembre al 6 de diciembre de 2026"),
        ("2026-12-31", "Semana del 28 de diciembre de 2026 al 3 de enero de 2027"),
        ("nonsense", "Semana del 16 al 22 de noviembre de 2026"),
    ],
)
def test_any_week_can_be_asked_for(look, semana, title):
    assert title in look(semana)


def test_the_neighbouring_weeks_are_linked(panel):
    page = panel.get(reverse("admin:week")).content.decode()

    assert re.findall(r'"\?semana=([\d-]+)', page) == [
        (MONDAY - timedelta(days=7)).isoformat(),
        (MONDAY + timedelta(days=7)).isoformat(),
    ]


@pytest.mark.parametrize(
    ("semana", "is_said"), [("2026-W46", True), ("2026-W47", False), ("2027-W20", True)]
)
def test_a_week_without_known_appointments_says_so(look, semana, is_said):
    assert ("esta semana no los incluye" in look(semana)) is is_said


@pytest.mark.parametrize("count", [1, 5])
def test_the_page_costs_the_same_whatever_the_week_holds(
    panel, google, django_assert_num_queries, count
):
    for number in range(count):
        start = at("00:00") + timedelta(hours=4 * number)
        VirtualClassFactory(scheduled=True, start_time=start)
        VirtualClassFactory(start_time=start)
        HoldFactory(
            user=UserFactory(),
            start_time=start,
            end_time=start + timedelta(minutes=30),
            class_type="individual",
            expires_at=NOW + timedelta(minutes=5 + number),
        )
        Closure.objects.create(first_day=start.date(), last_day=start.date())

    # Session, classes, their sales, three for their money, the calendar's state, holds, three for
    # the hours.
    with django_assert_num_queries(11):
        panel.get(reverse("admin:week"))

    assert VirtualClass.objects.count() == 2 * count
    assert timezone.now() == NOW
