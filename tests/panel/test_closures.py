"""Closures, public holidays and special hours."""

import re
from datetime import date, time

import pytest
from django.urls import reverse

from bookings.domain.desk.hours import import_public_holidays
from bookings.models import Closure, SpecialHours
from tests.factories import VirtualClassFactory
from tests.panel.moments import MONDAY, at, days_later

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]

ADD = reverse("admin:bookings_closure_add")
IMPORT = reverse("admin:bookings_closure_import")
ADD_SPECIAL = reverse("admin:bookings_specialhours_add")


def test_holidays_of_both_years_are_imported_once(panel):
    first = panel.post(IMPORT, follow=True).content.decode()
    stored = list(Closure.objects.values_list("first_day", "reason", "is_public_holiday"))

    again = panel.post(IMPORT, follow=True).content.decode()

    assert f"Agregamos {len(stored)} feriados de 2026 y 2027." in first
    assert "Ya estaban todos los feriados de 2026 y 2027." in again
    assert Closure.objects.count() == len(stored)
    assert (date(2026, 7, 9), "Día de la Independencia", True) in stored
    assert (date(2027, 12, 25), "Navidad", True) in stored


def test_importing_adds_what_is_missing_and_leaves_the_rest():
    import_public_holidays([2026])
    Closure.objects.filter(first_day="2026-12-25").update(reason="Cerrado por Navidad")
    Closure.objects.filter(first_day="2026-07-09").delete()

    assert import_public_holidays([2026]) == 1
    assert Closure.objects.get(first_day="2026-12-25").reason == "Cerrado por Navidad"


def test_a_trip_over_a_holiday_does_not_hide_it():
    Closure.objects.create(first_day="2026-12-20", last_day="2027-01-10", reason="Viaje")

    import_public_holidays([2026])

    assert Closure.objects.filter(first_day="2026-12-25", is_public_holiday=True).exists()


def test_staff_without_the_right_imports_nothing(host, sign_in):
    host.is_staff = True
    host.save()

    response = sign_in(host).post(IMPORT)

    assert (response.status_code, Closure.objects.count()) == (403, 0)


def test_a_closure_takes_one_day_unless_two_are_given(panel):
    panel.post(ADD, {"first_day": MONDAY, "last_day": "", "reason": "Médico"})

    closure = Closure.objects.get()
    assert (closure.first_day, closure.last_day) == (MONDAY, MONDAY)


@pytest.mark.parametrize("first_day", ["", "x"])
def test_a_closure_without_its_days_asks_for_the_first(panel, first_day):
    closure = Closure.objects.create(first_day=MONDAY, last_day=MONDAY)
    address = reverse("admin:bookings_closure_change", args=[closure.pk])

    page = panel.post(address, {"first_day": first_day, "last_day": ""}).content.decode()

    assert re.findall(r'id="id_(\w+)_error"', page) == ["first_day"]
    closure.refresh_from_db()
    assert (closure.first_day, closure.last_day) == (MONDAY, MONDAY)


def test_a_closure_that_ends_before_it_begins_is_refused(panel):
    page = panel.post(ADD, {"first_day": MONDAY, "last_day": days_later(-1)}).content.decode()

    assert "El último día no puede ser anterior al primero." in page
    assert not Closure.objects.exists()


def test_closing_names_the_classes_it_leaves_standing(panel):
    VirtualClassFactory(scheduled=True, start_time=at("15:00", days_later(2)))
    VirtualClassFactory(scheduled=True, start_time=at("15:00", days_later(3)))
    VirtualClassFactory(start_time=at("15:00", days_later(2)))

    page = panel.post(
        ADD, {"first_day": days_later(1), "last_day": days_later(2)}, follow=True
    ).content.decode()

    assert page.count("sigue agendada") == 1
    assert "18/11/2026 15:00: sigue agendada" in page


def test_the_list_shows_what_is_not_over_unless_asked(panel):
    Closure.objects.create(first_day=days_later(-9), last_day=days_later(-1), reason="Pasado")
    Closure.objects.create(first_day=days_later(-3), last_day=MONDAY, reason="Hasta hoy")
    address = reverse("admin:bookings_closure_changelist")

    usual, everything = (
        panel.get(address, query).content.decode() for query in ({}, {"cuando": "todos"})
    )

    assert ("Pasado" in usual, "Hasta hoy" in usual) == (False, True)
    assert ("Pasado" in everything, "Hasta hoy" in everything) == (True, True)


def test_special_hours_that_overlap_are_refused(panel):
    SpecialHours.objects.create(day=MONDAY, start=time(9), end=time(13))
    SpecialHours.objects.create(day=days_later(1), start=time(8), end=time(20))
    apart = [("13:00", "15:00"), ("08:00", "09:00")]
    over = [("12:30", "15:00"), ("09:00", "13:00"), ("10:00", "11:00"), ("08:00", "00:00")]

    def add(start, end):
        return panel.post(ADD_SPECIAL, {"day": MONDAY, "start": start, "end": end})

    for hours in over:
        assert "Se superpone con otro horario" in add(*hours).content.decode()
    assert SpecialHours.objects.count() == 2
    assert [add(*hours).status_code for hours in apart] == [302, 302]
    assert SpecialHours.objects.count() == 4


def test_special_hours_do_not_overlap_themselves(panel):
    hours = SpecialHours.objects.create(day=MONDAY, start=time(9), end=time(13))

    panel.post(
        reverse("admin:bookings_specialhours_change", args=[hours.pk]),
        {"day": MONDAY, "start": "10:00", "end": "12:00"},
    )

    hours.refresh_from_db()
    assert (hours.start, hours.end) == (time(10), time(12))


def test_special_hours_without_their_hours_say_which_are_missing(panel):
    page = panel.post(ADD_SPECIAL, {"day": MONDAY, "start": "", "end": ""}).content.decode()

    assert re.findall(r'id="id_(\w+)_error"', page) == ["start", "end"]
