"""Classes in the panel: the list, moving, what happened, and what the calendar says differently."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from bookings.domain.calendar.comparing import compare_all
from bookings.domain.calendar.repairing import compare_calendar, record_drift
from bookings.domain.classes.cancelling import leave_class
from bookings.domain.classes.scheduling import schedule_class
from bookings.domain.places.joining import join_class
from bookings.domain.sales.settling import settle
from bookings.models import (
    ChargeStatus,
    ClassEvent,
    ClassLog,
    ClassStatus,
    PaymentCharge,
    VirtualClass,
    WeeklyHours,
)
from tests.bookings import drifts
from tests.bookings.drifts import event_of, scheduled_classes, times_of
from tests.factories import VirtualClassFactory
from tests.pages.texts import plain_text_of
from tests.panel.steps import confirm, look, seen_on
from tests.payments import make_payment
from tests.standins import Fault

pytestmark = pytest.mark.django_db


def page_of(virtual_class):
    return reverse("admin:class_sheet", args=[virtual_class.pk])


@pytest.fixture
def noon_in_three_days():
    start = timezone.localtime() + timedelta(days=3)
    return start.replace(hour=12, minute=0, second=0, microsecond=0)


@pytest.fixture
def scheduled(host, noon_in_three_days):
    """Ana's class, in three days at noon."""
    return VirtualClassFactory(
        booked_by=host, scheduled=True, owns_time=True, start_time=noon_in_three_days
    )


@pytest.fixture
def in_calendar(host, teacher, noon_in_three_days):
    """The same, with its event and history."""
    pending = VirtualClassFactory(booked_by=host, start_time=noon_in_three_days)
    return schedule_class(preference_id=pending.preference_id)


def move(panel, virtual_class, day, clock, reason=""):
    return confirm(panel, virtual_class, "mover", day=day, clock=clock, reason=reason)


# --- The list -------------------------------------------------------------------------------------


def badges_on(panel):
    """Give what the list says of the money, in its order."""
    page = panel.get(reverse("admin:bookings_virtualclass_changelist")).content.decode()
    cells = re.findall(r"<td[^>]*field-payment_badge.*?</td>", page, re.DOTALL)
    return [re.sub(r"<[^>]+>", "", cell).strip() for cell in cells]


def test_the_list_says_what_became_of_the_money(panel, mercadopago, host):
    payment = make_payment(host)
    mercadopago.pay(payment.preference_id)
    settle(payment.preference_id)
    assert badges_on(panel) == ["$\xa024.000 Pagada"]

    PaymentCharge.objects.update(status=ChargeStatus.DISPUTED)

    assert badges_on(panel) == ["$\xa024.000 En disputa"]


def test_the_list_says_what_was_paid_by_hand(panel):
    VirtualClassFactory()
    VirtualClassFactory(scheduled=True, in_cash=timezone.now())
    VirtualClassFactory(scheduled=True, is_sold=False)

    assert sorted(badges_on(panel)) == [
        *("$\xa015.000 Pagada", "$\xa015.000 Por pagar", "—"),
    ]


# --- Moving ---------------------------------------------------------------------------------------


def test_the_teacher_moves_a_class(panel, in_calendar, google):
    day = timezone.localdate(in_calendar.start_time)

    page = move(panel, in_calendar, f"{day}", "19:30", "Tengo médico.")

    moved = VirtualClass.objects.get()
    [event] = google.live_events()
    assert "Listo: cambió el horario y avisamos a todos." in plain_text_of(page)
    assert f"{timezone.localtime(moved.start_time):%H:%M}" == "19:30"
    assert event["start"]["dateTime"][11:16] == "19:30"
    assert ClassLog.objects.get(event=ClassEvent.RESCHEDULED).reason == "Tengo médico."


def test_a_time_that_cannot_be_is_refused_above_the_form(panel, scheduled, student):
    start = scheduled.start_time + timedelta(hours=3)
    VirtualClassFactory(scheduled=True, owns_time=True, start_time=start, booked_by=student)
    same = f"{timezone.localdate(scheduled.start_time)}"

    for day, clock, error in (
        ("", "19:30", "Completá este dato."),
        ("2026-02-31", "19:30", "Escribí una fecha válida."),
        ("2010-01-01", "10:00", "Ese horario ya pasó."),
        (same, "12:00", "La clase ya tiene ese horario."),
        (same, "15:30", "A esa hora está la clase de Bruno Student (15:00 a 16:00)."),
        (same, "25:99", "Escribí una hora válida."),
    ):
        page = look(panel, scheduled, "mover", day=day, clock=clock)
        assert error in plain_text_of(page)
        assert seen_on(page) == ""
        assert f'value="{clock}"' in page.content.decode()

    assert VirtualClass.objects.get(pk=scheduled.pk).start_time == scheduled.start_time


def test_the_free_hours_of_a_move_lack_those_of_the_class_itself(panel, scheduled):
    day = timezone.localdate(scheduled.start_time)
    WeeklyHours.objects.create(weekday=day.weekday(), start="12:00", end="14:00")

    page = look(panel, scheduled, "mover").content.decode()

    hours = re.findall(r'value="[^"]+T([0-9:]{5})"', page)
    assert hours == ["12:30", "13:00"]


def test_a_paid_class_loses_its_time_only_when_the_teacher_says_so(panel, scheduled, student):
    start = scheduled.start_time + timedelta(hours=3)
    now = timezone.now()
    paid = VirtualClassFactory(
        booked_by=student, start_time=start, paid_at=now, scheduling_requested_at=now
    )
    day = f"{timezone.localdate(scheduled.start_time)}"

    asked = move(panel, scheduled, day, "15:30")
    was_at = VirtualClass.objects.get(pk=scheduled.pk).start_time
    form = {"day": day, "clock": "15:30", "displaces": f"{paid.pk}"}
    done = confirm(panel, scheduled, "mover", **form)

    text = plain_text_of(asked)
    assert "Hay una clase pagada para ese horario, que espera al calendario." in text
    assert "La clase de Bruno Student" in text
    assert was_at == scheduled.start_time
    assert "Listo: cambió el horario y avisamos a todos." in plain_text_of(done)


def test_a_calendar_that_is_down_only_delays_its_part(panel, in_calendar, google):
    google.fault("events.patch", *[Fault.status(403, "quotaExceeded")] * 3)
    day = timezone.localdate(in_calendar.start_time)

    page = move(panel, in_calendar, f"{day}", "19:30")

    assert "El horario ya cambió" in plain_text_of(page)
    assert VirtualClass.objects.get().event_update_requested_at is not None


def test_a_calendar_that_refuses_the_move_is_named(panel, in_calendar, google):
    google.fault("events.patch", Fault.status(403, "forbidden"))
    day = timezone.localdate(in_calendar.start_time)

    page = plain_text_of(move(panel, in_calendar, f"{day}", "19:30"))

    assert "El calendario no aceptó mover el evento" in page
    assert "Listo: cambió el horario" not in page


# --- What happened --------------------------------------------------------------------------------


def test_the_timeline_says_who_when_what_from_to_and_why(panel, in_calendar, student, teacher):
    join_class(user=student, access_code=in_calendar.access_code)
    leave_class(class_id=in_calendar.pk, user=student)
    day = timezone.localdate(in_calendar.start_time)
    move(panel, in_calendar, f"{day}", "19:30", "Tengo médico.")

    entries = panel.get(page_of(in_calendar)).context["timeline"]

    told = [(entry.text.split(":")[0], entry.details) for entry in entries]
    assert told == [
        ("Se reservó", "por Ana Host"),
        ("Quedó agendada", "por el servicio · Pendiente → Agendada"),
        ("Se sumó Bruno Student", "por Bruno Student"),
        ("Dejó su lugar Bruno Student", "por Bruno Student"),
        ("Cambió de horario", "por Paula Profe · Tengo médico."),
    ]
    assert re.search(r"12:00 al .*19:30", entries[-1].text)


def test_every_event_has_its_words_and_old_lines_are_read(panel, scheduled):
    """Lines of before have no statuses and no details."""
    ClassLog.objects.all().delete()
    for event in ClassEvent:
        ClassLog.objects.create(virtual_class=scheduled, event=event)

    entries = panel.get(page_of(scheduled)).context["timeline"]

    assert len(entries) == len(ClassEvent)
    assert not [entry for entry in entries if "{" in entry.text]


# --- What the calendar says differently -----------------------------------------------------------


CHANGELIST = "admin:bookings_virtualclass_changelist"


@pytest.fixture
def classes(host, teacher, google):
    """Two classes, the first of which somebody moved in the calendar."""
    two = scheduled_classes(2, booked_by=host)
    drifts.move(google, two[0])
    [finding] = compare_all().findings
    record_drift(finding)
    return VirtualClass.objects.order_by("start_time")


def test_a_class_says_that_the_calendar_differs(panel, classes, google):
    moved, other = classes

    page = plain_text_of(panel.get(page_of(moved)))

    assert "El calendario no dice lo mismo que la clase" in page
    start, _ = times_of(event_of(google, moved))
    assert "El evento tiene otro horario (" in page
    assert f"{timezone.localtime(start):%H:%M})" in page
    assert "no dice lo mismo" not in plain_text_of(panel.get(page_of(other)))

    VirtualClass.objects.filter(pk=moved.pk).update(calendar_drift="deleted")  # without a line

    assert "El evento fue borrado." in plain_text_of(panel.get(page_of(moved)))


def test_a_class_says_that_its_event_repeats(panel, classes, google):
    other = classes[1]
    google.edit_event(other.provider_event_id, recurrence=["RRULE:FREQ=WEEKLY;COUNT=4"])
    for finding in compare_all().findings:
        record_drift(finding)

    page = plain_text_of(panel.get(page_of(other)))

    assert "El evento se repite." in page
    assert "El evento tiene otro horario" not in page


def test_the_list_is_filtered_by_it(panel, classes):
    moved, other = classes

    def shown(value):
        page = panel.get(reverse(CHANGELIST), {"calendario": value}).content.decode()
        return [str(one.pk) in page for one in (moved, other)]

    assert shown("") == [True, True]
    assert shown("distinto") == [True, False]
    assert plain_text_of(panel.get(reverse(CHANGELIST))).count("Calendario distinto") == 1
    VirtualClass.objects.update(status=ClassStatus.CANCELLED)
    assert shown("distinto") == [False, False]
    assert "Calendario distinto" not in plain_text_of(panel.get(reverse(CHANGELIST)))
    assert "no dice lo mismo" not in plain_text_of(panel.get(page_of(moved)))


def test_the_button_repairs_the_event(panel, classes, google, teacher):
    moved = classes[0]

    page = confirm(panel, moved, "reparar")

    assert "el calendario dice lo mismo" in plain_text_of(page)
    assert compare_all().findings == []
    moved.refresh_from_db()
    assert moved.calendar_drift == ""
    assert moved.log.get(event=ClassEvent.EVENT_REPAIRED).actor == teacher
    assert "no dice lo mismo" not in plain_text_of(page)


def test_the_calendar_s_page_says_what_differs(panel, classes):
    page = plain_text_of(panel.get(reverse("admin:calendar")))
    compare_calendar()
    later = plain_text_of(panel.get(reverse("admin:calendar")))

    assert "1 clase no coincide con el calendario." in page
    assert "Lo comparamos entero el" not in page
    assert "Dice lo mismo que tus clases. Lo comparamos entero el" in later
