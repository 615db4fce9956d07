"""Classes in the panel: moving, cancelling, and what happened."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from bookings.domain.classes.cancelling import leave_class
from bookings.domain.classes.scheduling import schedule_class
from bookings.domain.places.joining import join_class
from bookings.domain.sales.settling import settle
from bookings.models import (
    ChargeStatus,
    ClassEvent,
    ClassLog,
    PaymentCharge,
    VirtualClass,
)
from tests.factories import UserFactory, VirtualClassFactory
from tests.panel.steps import confirm, look, seen_on
from tests.payments import make_payment
from tests.standins import Fault

pytestmark = pytest.mark.django_db


def page_of(virtual_class):
    return reverse("admin:class_sheet", args=[virtual_class.pk])


def text_of(response):
    text = re.sub(r"<[^>]+>", " ", response.content.decode())
    return " ".join(text.split())


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
    assert badges_on(panel) == ["Pagada"]

    PaymentCharge.objects.update(status=ChargeStatus.DISPUTED)

    assert badges_on(panel) == ["En disputa"]


def test_the_list_says_what_was_paid_by_hand(panel):
    VirtualClassFactory()
    VirtualClassFactory(scheduled=True, in_cash=timezone.now())
    VirtualClassFactory(scheduled=True, is_sold=False)

    assert sorted(badges_on(panel)) == ["Pagada", "Por pagar", "—"]


# --- Moving ---------------------------------------------------------------------------------------


def test_the_teacher_moves_a_class(panel, in_calendar, google):
    day = timezone.localdate(in_calendar.start_time)

    page = move(panel, in_calendar, f"{day}", "19:30", "Tengo médico.")

    moved = VirtualClass.objects.get()
    [event] = google.live_events()
    assert "Listo: cambió el horario y avisamos a todos." in text_of(page)
    assert f"{timezone.localtime(moved.start_time):%H:%M}" == "19:30"
    assert event["start"]["dateTime"][11:16] == "19:30"
    assert ClassLog.objects.get(event=ClassEvent.RESCHEDULED).reason == "Tengo médico."


def test_a_time_that_cannot_be_is_refused_above_the_form(panel, scheduled):
    start = scheduled.start_time + timedelta(hours=3)
    VirtualClassFactory(scheduled=True, owns_time=True, start_time=start)
    same = f"{timezone.localdate(scheduled.start_time)}"

    for day, clock, error in (
        ("", "19:30", "Este campo es requerido."),
        ("2026-02-31", "19:30", "Escribí una fecha válida."),
        ("2010-01-01", "10:00", "Ese horario ya pasó."),
        (same, "12:00", "La clase ya tiene ese horario."),
        (same, "15:30", "Ese horario ya está ocupado."),
        (same, "25:99", "Escribí una hora válida."),
    ):
        page = look(panel, scheduled, "mover", day=day, clock=clock)
        assert error in text_of(page)
        assert seen_on(page) == ""
        assert f'value="{clock}"' in page.content.decode()

    assert VirtualClass.objects.get(pk=scheduled.pk).start_time == scheduled.start_time


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

    assert "Hay una clase pagada para ese horario, que espera al calendario." in text_of(asked)
    assert "La clase de Bruno Student" in text_of(asked)
    assert was_at == scheduled.start_time
    assert "Listo: cambió el horario y avisamos a todos." in text_of(done)


def test_a_box_that_was_ticked_stays_ticked_beside_the_next(panel, scheduled, student):
    now = timezone.now()
    first, second = (
        VirtualClassFactory(
            booked_by=student,
            start_time=scheduled.start_time + timedelta(hours=hours),
            paid_at=now,
            scheduling_requested_at=now,
        )
        for hours in (3, 4)
    )
    day = f"{timezone.localdate(scheduled.start_time)}"
    form = {"day": day, "clock": "15:30", "displaces": f"{first.pk}"}

    asked = look(panel, scheduled, "mover", **form).content.decode()

    assert re.findall(r'value="([-0-9a-f]{36})"[^>]*?( checked)?>', asked) == [
        (f"{first.pk}", " checked"),
        (f"{second.pk}", ""),
    ]


def test_a_calendar_that_is_down_only_delays_its_part(panel, in_calendar, google):
    google.fault("events.patch", *[Fault.status(403, "quotaExceeded")] * 3)
    day = timezone.localdate(in_calendar.start_time)

    page = move(panel, in_calendar, f"{day}", "19:30")

    assert "El horario ya cambió" in text_of(page)
    assert VirtualClass.objects.get().event_update_requested_at is not None


def test_a_calendar_that_refuses_the_move_is_named(panel, in_calendar, google):
    google.fault("events.patch", Fault.status(403, "forbidden"))
    day = timezone.localdate(in_calendar.start_time)

    page = text_of(move(panel, in_calendar, f"{day}", "19:30"))

    assert "El calendario no aceptó mover el evento" in page
    assert "Listo: cambió el horario" not in page


def test_an_assistant_who_may_only_look_moves_nothing(sign_in, scheduled, stranger):
    stranger.is_staff = True
    stranger.save()

    response = look(sign_in(stranger), scheduled, "mover", day="2030-01-01", clock="10:00")

    assert response.status_code == 403
    assert VirtualClass.objects.get().start_time == scheduled.start_time


# --- Cancelling -----------------------------------------------------------------------------------


def test_the_teacher_cancels_with_a_reason(panel, in_calendar, google):
    page = confirm(panel, in_calendar, "cancelar", reason="Estoy enferma.")

    assert "Estoy enferma." in text_of(page)
    assert VirtualClass.objects.get().status == "cancelled"
    assert google.live_events() == []


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


def test_a_timeline_costs_the_same_for_none_and_for_ten_lines(panel, scheduled):
    def count():
        with CaptureQueriesContext(connection) as queries:
            assert panel.get(page_of(scheduled)).status_code == 200
        return len(queries)

    count()  # the session's last use and the like are written once
    ClassLog.objects.all().delete()
    without = count()
    for person in UserFactory.create_batch(10):
        details = {"person": str(person.pk)}
        ClassLog.objects.create(
            virtual_class=scheduled, event=ClassEvent.JOINED, actor=person, details=details
        )

    assert count() == without + 1  # the names


# --- The cut-off ----------------------------------------------------------------------------------
