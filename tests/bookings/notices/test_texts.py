"""The texts of mails after the confirmation, and of mails about money."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.core import mail
from django.utils import timezone
from icalendar import Calendar

from bookings.domain.classes.cancelling import cancel_class, leave_class
from bookings.domain.history import record_event
from bookings.domain.sales.her_bookings import confirm_payment
from bookings.domain.sales.settling import settle
from bookings.models import (
    ClassEvent,
    Notice,
    NoticeKind,
    WaitingListEntry,
    WaitingState,
)
from bookings.notices.delivery import deliver_due
from bookings.notices.rendering import render_mail
from bookings.templatetags.class_times import clock, long_day
from tests.factories import VirtualClassFactory
from tests.payments import make_payment
from tests.sales.open_classes import hold, pay, publish

ZONE = ZoneInfo("America/Argentina/Buenos_Aires")
MONDAY, TUESDAY, FRIDAY = (datetime(2026, 11, day, 18, 30, tzinfo=ZONE) for day in (23, 24, 27))
LINK = "https://meet.google.com/abc-defg-hij"


@pytest.fixture
def virtual_class(host):
    """Ana's class, moved to Friday."""
    return VirtualClassFactory(
        scheduled=True, booked_by=host, start_time=FRIDAY, access_code="ABCD2345", ics_sequence=2
    )


def write(kind, user, virtual_class=None, occasion=""):
    """Return subject and text of a mail, and its calendar."""
    notice = Notice(kind=kind, user=user, virtual_class=virtual_class, occasion=occasion)
    letter = render_mail(notice)
    entries = [part.content for part in letter.alternatives if "calendar" in part.mimetype]
    return f"{letter.subject}\n{letter.body}", Calendar.from_ical(entries[0]) if entries else None


def move(virtual_class, start, end):
    details = {"from": start.isoformat(), "to": end.isoformat()}
    record_event(virtual_class, ClassEvent.RESCHEDULED, details=details)


def test_a_move_says_the_old_time_and_the_new_one(virtual_class, student):
    move(virtual_class, TUESDAY, FRIDAY)

    text, calendar = write(NoticeKind.RESCHEDULED, student, virtual_class)

    [event] = calendar.events
    assert "Antes: martes 24 de noviembre, 18:30\n" in text
    assert "Ahora: viernes 27 de noviembre, de 18:30 a 19:30 (hora de Argentina)\n" in text
    assert (calendar["METHOD"], event["SEQUENCE"]) == ("REQUEST", 2)
    assert event["DTSTART"].dt == FRIDAY


@pytest.mark.parametrize(
    ("is_told", "earlier"), [(False, "lunes 23"), (True, "martes 24")], ids=["untold", "told"]
)
def test_after_two_moves_the_old_time_is_the_one_the_reader_knows(
    virtual_class, student, is_told, earlier
):
    move(virtual_class, MONDAY, TUESDAY)
    told = {"sent_at": timezone.now(), "next_attempt_at": None}
    Notice.objects.create(
        kind=NoticeKind.RESCHEDULED,
        user=student,
        virtual_class=virtual_class,
        occasion="1",
        **(told if is_told else {}),
    )
    move(virtual_class, TUESDAY, FRIDAY)

    text, _ = write(NoticeKind.RESCHEDULED, student, virtual_class)

    assert f"Antes: {earlier} de noviembre, 18:30\n" in text


@pytest.mark.parametrize("kind", [NoticeKind.REMINDER_DAY, NoticeKind.REMINDER_HOUR])
def test_a_reminder_has_the_link_and_for_the_host_the_code(virtual_class, host, student, kind):
    to_host, _ = write(kind, host, virtual_class)
    to_guest, calendar = write(kind, student, virtual_class)

    assert LINK in to_host
    assert LINK in to_guest
    assert "Código de acceso: ABCD2345\n" in to_host
    assert "ABCD2345" not in to_guest
    assert calendar is None


def test_an_offer_says_until_when_and_neither_link_nor_code(virtual_class, student):
    WaitingListEntry.objects.create(
        virtual_class=virtual_class,
        user=student,
        state=WaitingState.OFFERED,
        offered_at=MONDAY,
        offer_expires_at=MONDAY + timedelta(hours=2),
    )

    text, calendar = write(NoticeKind.PLACE_OFFERED, student, virtual_class)

    assert "Te lo guardamos hasta: lunes 23 de noviembre, 20:30\n" in text
    offer = WaitingListEntry.objects.get()
    assert f"Tomá tu lugar: http://testserver/inicio/espera/{offer.pk}\n" in text
    assert [secret for secret in (LINK, "ABCD2345") if secret in text] == []
    assert calendar is None


def test_the_teacher_reads_how_the_calendar_differs(virtual_class, teacher):
    text, _ = write(NoticeKind.CALENDAR_CHANGED, teacher, virtual_class, "deleted 7")

    assert "Qué pasó: El evento fue borrado del calendario. La clase sigue en pie" in text
    assert f"http://testserver/admin/clase/{virtual_class.pk}/" in text


@pytest.fixture
def payment(mercadopago, host, teacher):
    """Ana's open payment of a booked class."""
    return make_payment(host)


def letters():
    deliver_due()
    return {letter.to[0]: letter for letter in mail.outbox}


# --- What the student and the teacher read about money --------------------------------------------


def read(person, subject):
    """Deliver due mails; return the text of the only one with this subject."""
    letters()
    [letter] = [
        one for one in mail.outbox if one.to == [person.email] and one.subject.startswith(subject)
    ]
    return letter.body.replace("\xa0", " ")


def test_the_confirmation_names_price_deadline_and_refund(mercadopago, payment, host):
    mercadopago.pay(payment.preference_id)
    settle(payment.preference_id)

    text = read(host, "Tu clase está confirmada")

    until = payment.purchase.virtual_class.start_time - timedelta(days=1)
    assert "\nPrecio: $ 24.000\n" in text
    assert (
        "\nSi no podés ir: Podés cancelar o cambiar el horario hasta el "
        f"{long_day(until)} a las {clock(until)}. Si cancelás la clase antes, te devolvemos todo. "
        "Después, nada. Si tu profe cancela la clase, te devolvemos todo.\n"
    ) in text


@pytest.mark.parametrize("is_online", [True, False], ids=["online", "by hand"])
def test_a_cancellation_says_to_both_what_goes_back(mercadopago, payment, host, teacher, is_online):
    if is_online:
        mercadopago.pay(payment.preference_id)
        settle(payment.preference_id)
    else:
        confirm_payment(class_id=payment.purchase.virtual_class_id, actor=teacher)

    cancel_class(class_id=payment.purchase.virtual_class_id, actor=host)

    to_student, to_teacher = read(host, "Se canceló"), read(teacher, "Ana canceló su clase")
    back = (
        (
            "Te devolvemos $ 24.000 al medio con que pagaste; con tarjeta puede tardar hasta el "
            "próximo resumen.",
            "Se devuelve por Mercado Pago",
        )
        if is_online
        else ("Tu profe te devuelve $ 24.000 en efectivo.", "Para devolver")
    )
    assert f"\nTu pago: {back[0]}\n" in to_student
    assert f"\n{back[1]}: $ 24.000\n" in to_teacher


def test_a_place_left_late_says_to_both_what_is_kept(mercadopago, host, teacher):
    place = pay(mercadopago, hold(publish(teacher), host))

    with time_machine.travel(place.virtual_class.start_time - timedelta(hours=5)):
        leave_class(class_id=place.virtual_class_id, user=host)
        to_student, to_teacher = read(host, "Dejaste tu lugar"), read(teacher, "Dejaron un lugar")

    assert "\nTu pago: No se devuelven $ 8.000: ya pasó el plazo.\n" in to_student
    assert "\nNo se devuelve: $ 8.000\n" in to_teacher
