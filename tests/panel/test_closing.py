"""Blocked hours and days, closures, public holidays and special hours."""

import re
from datetime import date, time, timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.contrib.messages import get_messages
from django.urls import reverse

from bookings.domain.desk.hours import import_public_holidays
from bookings.models import Closure, SpecialHours, WeeklyHours
from tests.factories import UserFactory, VirtualClassFactory
from tests.pages.texts import plain_text_of
from tests.panel.moments import MONDAY, at, days_later

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


HOUR = reverse("admin:week_hour") + f"?inicio={MONDAY}T15:00&hasta=16:00"
DAY = reverse("admin:week_day") + f"?dia={MONDAY}"


@pytest.fixture(autouse=True)
def _hours():
    WeeklyHours.objects.create(weekday=0, start=time(14), end=time(18))


def hours():
    return [
        f"{start:%H}-{end:%H}" for start, end in SpecialHours.objects.values_list("start", "end")
    ]


@pytest.mark.parametrize(("button", "left"), [("hour", ["14-15", "16-18"]), ("rest", ["14-15"])])
def test_a_free_hour_is_blocked_and_opened_with_a_tap(panel, button, left):
    page = plain_text_of(panel.get(HOUR))
    panel.post(HOUR, {"do": button})
    blocked = hours()
    shown = plain_text_of(panel.get(HOUR))
    done = panel.post(HOUR, {"do": "restore"}, follow=True)

    assert "Bloquear esta hora" in page
    assert blocked == left
    assert "Esta hora está bloqueada" in shown
    assert "vale tu horario de siempre" in plain_text_of(done)
    assert hours() == []
    assert LogEntry.objects.count() == 2


def test_an_hour_shows_its_own_classes_only(panel, host):
    virtual_class = VirtualClassFactory(booked_by=host, start_time=at("15:00"))
    VirtualClassFactory(scheduled=True, start_time=at("17:00"))

    page = panel.get(HOUR)

    assert list(page.context["classes"]) == [virtual_class]
    assert reverse("admin:class_sheet", args=[virtual_class.pk]) in page.text


def test_an_hour_that_cannot_be_leads_to_the_week(panel):
    for query in (
        "inicio=x&hasta=16:00",
        "inicio=2026-11-16T15:00&hasta=14:00",
        "inicio=2026-11-16T15:00&hasta=15:00",
        "inicio=2026-11-16T15:00-03:00&hasta=16:00",
        "inicio=9999-12-31T15:00&hasta=16:00",
    ):
        response = panel.get(f"{reverse('admin:week_hour')}?{query}")
        assert response["Location"].startswith(reverse("admin:week"))
        assert "No entendimos" in str([*get_messages(response.wsgi_request)][-1])


@pytest.mark.parametrize("last", [0, 6, 13], ids=["this day", "this week", "two weeks"])
def test_days_are_blocked_with_two_taps_and_opened_with_two(panel, last):
    assert f'value="{days_later(last)}"' in panel.get(DAY).content.decode()

    blocked = panel.post(DAY, {"first_day": MONDAY, "last_day": days_later(last)}, follow=True)
    closure = Closure.objects.get()
    opened = {"first_day": closure.first_day, "last_day": closure.last_day, "open": "1"}
    panel.post(DAY, opened)

    assert (closure.first_day, closure.last_day) == (MONDAY, days_later(last))
    assert "Bloqueaste" in plain_text_of(blocked)
    assert not Closure.objects.exists()


def test_a_day_shows_its_own_classes_only(panel):
    rows = [VirtualClassFactory(scheduled=True, start_time=at(f"{n}:00")) for n in (15, 17)]
    VirtualClassFactory(scheduled=True, start_time=at("15:00", days_later(1)))

    page = panel.get(DAY)

    assert list(page.context["classes"]) == rows
    assert "Cancelar" not in plain_text_of(page)


def test_a_blocked_fortnight_offers_no_cancellation_of_all(panel):
    for day in (0, 8):
        VirtualClassFactory(scheduled=True, start_time=at("15:00", days_later(day)))
    Closure.objects.create(first_day=MONDAY, last_day=days_later(13), reason="Viaje")

    page = panel.get(DAY)

    assert len(page.context["classes"]) == 2
    assert "Cancelar las" not in plain_text_of(page)


def test_the_classes_of_a_blocked_day_lead_to_one_cancellation(panel):
    rows = [VirtualClassFactory(scheduled=True, start_time=at(f"{n}:00")) for n in (15, 17)]
    Closure.objects.create(first_day=MONDAY, last_day=MONDAY, reason="Viaje")

    page = panel.get(DAY)
    chosen = {"action": "cancelar", "index": "0", "_selected_action": [row.pk for row in rows]}
    asked = panel.post(reverse("admin:bookings_virtualclass_changelist"), chosen)

    assert "Cerrado: Viaje" in plain_text_of(page)
    assert page.content.decode().count('name="_selected_action"') == 2
    assert "En total son 2" in plain_text_of(asked)


@pytest.mark.parametrize(
    "days", [(MONDAY, days_later(-1)), (MONDAY, days_later(400)), (MONDAY, "x"), (MONDAY, "")]
)
def test_impossible_days_are_refused(panel, days):
    page = panel.post(DAY, {"first_day": days[0], "last_day": days[1]})

    assert page.status_code == 200
    assert "Revisá estos datos" in plain_text_of(page)
    assert not Closure.objects.exists()


def test_staff_who_may_not_see_classes_see_none_on_the_pages(sign_in, host):
    VirtualClassFactory(scheduled=True, booked_by=host, start_time=at("15:00"))
    blocker = UserFactory(is_staff=True)
    rights = Permission.objects.filter(codename__in=["add_closure", "add_specialhours"])
    blocker.user_permissions.set(rights)
    client = sign_in(blocker)

    for page in (HOUR, DAY):
        answer = client.get(page)
        assert answer.status_code == 200
        assert host.name not in plain_text_of(answer)


@pytest.mark.parametrize("count", [1, 9])
def test_the_pages_cost_the_same_whatever_the_days_hold(
    panel, django_assert_max_num_queries, count
):
    for number in range(count):
        VirtualClassFactory(scheduled=True, start_time=at("15:00") + timedelta(hours=number))

    with django_assert_max_num_queries(13):
        panel.get(DAY)
    with django_assert_max_num_queries(11):
        panel.get(HOUR)


# --- Closures, public holidays and special hours --------------------------------------------------


ADD = reverse("admin:bookings_closure_add")
PAGE = reverse("admin:hours")
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


def test_the_page_offers_holidays_while_those_of_next_year_are_missing(panel):
    before = panel.get(PAGE).content.decode()
    import_public_holidays([2027])

    after = panel.get(PAGE).content.decode()

    assert (IMPORT in before, IMPORT in after) == (True, False)


def test_the_page_lists_the_week_and_the_other_days_of_twelve_months(panel):
    WeeklyHours.objects.create(weekday=1, start=time(14), end=time(18))
    SpecialHours.objects.create(day=days_later(2), start=time(9), end=time(13), reason="Feria")
    Closure.objects.create(first_day=days_later(-3), last_day=days_later(1), reason="Viaje")
    for first_day in (date(2027, 1, 4), date(2027, 11, 30)):
        Closure.objects.create(first_day=first_day, last_day=first_day)
    for last_day in (days_later(-1), days_later(5)):
        Closure.objects.create(first_day=last_day, last_day=last_day)

    page = panel.get(PAGE).context

    assert [row[1:] for row in page["week"]] == [("Lunes y martes", "de 14:00 a 18:00")]
    assert [row[:2] for row in page["days"]] == [
        ("vie 13 nov al mar 17 nov", "Cerrado: Viaje"),
        ("mié 18 nov", "Solo de 09:00 a 13:00: Feria"),
        ("sáb 21 nov", "Cerrado"),
        ("lun 4 ene", "Cerrado"),
    ]


def test_importing_adds_what_is_missing_and_leaves_the_rest():
    import_public_holidays([2026])
    Closure.objects.filter(first_day="2026-12-25").update(reason="Cerrado por Navidad")
    Closure.objects.filter(first_day="2026-07-09").delete()

    assert import_public_holidays([2026]) == 1
    assert Closure.objects.get(first_day="2026-12-25").reason == "Cerrado por Navidad"


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
