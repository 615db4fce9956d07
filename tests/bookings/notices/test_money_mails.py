"""The texts of mails about money."""

from datetime import timedelta

import pytest
import time_machine
from django.core import mail

from bookings.domain.classes.cancelling import cancel_class, leave_class
from bookings.domain.classes.scheduling import schedule_class
from bookings.domain.sales.her_bookings import confirm_payment
from bookings.domain.sales.settling import settle
from bookings.models import change_terms
from bookings.notices.delivery import deliver_due
from bookings.templatetags.class_times import clock, long_day
from tests.factories import VirtualClassFactory
from tests.half import Half
from tests.payments import make_payment
from tests.sales.open_classes import store, take


@pytest.fixture
def payment(mercadopago, host, teacher):
    """Ana's open payment of a booked class."""
    return make_payment(host)


def letters():
    """Deliver due mails; return them by address."""
    deliver_due()
    return {letter.to[0]: letter for letter in mail.outbox}


def test_the_host_of_a_cancelled_class_reads_that_the_money_comes_back(
    mercadopago, payment, host, teacher
):
    mercadopago.pay(payment.preference_id)
    settle(payment.preference_id)
    cancel_class(class_id=payment.purchase.virtual_class.pk, actor=teacher, fresh_sign_in=True)

    letters()
    cancelled, returned = (letter for letter in mail.outbox if letter.to == [host.email])
    assert "Tu pago: Te devolvemos $\xa024.000, por el mismo medio" in cancelled.body
    assert "Cuánto: $\xa024.000\nPor qué: La reserva se canceló.\nCuándo: " in returned.body


def test_nobody_is_promised_money_that_was_not_paid(payment, host, teacher):
    cancel_class(class_id=payment.purchase.virtual_class.pk, actor=teacher)

    assert "pago" not in letters()[host.email].body.lower()


def test_the_teacher_reads_which_payment_needs_a_look(mercadopago, payment, teacher):
    mercadopago.pay(payment.preference_id, currency="USD")
    settle(payment.preference_id)

    letter = letters()[teacher.email]

    assert letter.subject.startswith("Hay un pago para revisar: ")
    assert "El pago de Ana necesita que lo mires." in letter.body
    assert "http://testserver/admin/bookings/payment/" in letter.body
    assert letter.attachments == []


@pytest.mark.parametrize("is_over", [False, True], ids=["time lost", "class over"])
def test_the_teacher_reads_that_money_went_back(mercadopago, payment, teacher, is_over):
    virtual_class = payment.purchase.virtual_class
    if not is_over:
        VirtualClassFactory(scheduled=True, owns_time=True, start_time=virtual_class.start_time)
    mercadopago.pay(payment.preference_id)
    after = virtual_class.end_time + timedelta(minutes=1)
    with time_machine.travel(after if is_over else virtual_class.created_at):
        settle(payment.preference_id)
        letter = letters()[teacher.email]

    assert letter.subject.startswith("Se devuelve un pago: ")
    assert "Lo que pagó Ana vuelve" in letter.body


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
        "Después, nada. Si la profe cancela la clase, te devolvemos todo.\n"
    ) in text


def test_the_confirmation_of_a_free_class_promises_no_money(host, teacher):
    booked = VirtualClassFactory(booked_by=host, summary="", class_price=0)

    schedule_class(preference_id=booked.preference_id)

    text = read(host, "Tu clase está confirmada")
    assert "\nPrecio: Gratis\n" in text
    assert "La clase está muy cerca: ya no se puede cancelar ni cambiar.\n" in text
    assert "devolvemos" not in text


def test_the_mail_about_a_seat_names_price_and_refund(mercadopago, teacher):
    [place] = take(mercadopago, store(teacher))

    text = read(place.person, "Ya tenés tu lugar")

    until = place.virtual_class.start_time - timedelta(days=1)
    assert "\nPrecio: $ 8.000\n" in text
    assert (
        f"Si dejás tu lugar hasta el {long_day(until)} a las {clock(until)}, te devolvemos todo. "
        "Después, nada."
    ) in text


@pytest.fixture
def half_is_kept(monkeypatch):
    steps = [change_terms.RefundStep(timedelta(hours=2), Half())]
    monkeypatch.setattr(change_terms, "LATER_STEPS", steps)


@pytest.mark.usefixtures("half_is_kept")
@pytest.mark.parametrize("is_online", [True, False], ids=["online", "by hand"])
def test_a_late_cancellation_says_to_both_what_goes_back_and_what_is_kept(
    mercadopago, payment, host, teacher, is_online
):
    if is_online:
        mercadopago.pay(payment.preference_id)
        settle(payment.preference_id)
    else:
        confirm_payment(class_id=payment.purchase.virtual_class_id, actor=teacher)
    with time_machine.travel(payment.purchase.virtual_class.start_time - timedelta(hours=5)):
        cancel_class(class_id=payment.purchase.virtual_class_id, actor=host)
        to_student, to_teacher = read(host, "Se canceló"), read(teacher, "Ana canceló su clase")

    back = (
        (
            "Te devolvemos $ 12.000, por el mismo medio con que pagaste.",
            "Se devuelve por Mercado Pago",
        )
        if is_online
        else ("La profe te devuelve $ 12.000, por donde le pagaste.", "Para devolver")
    )
    assert f"\nTu pago: {back[0]} No se devuelven $ 12.000: ya pasó el plazo.\n" in to_student
    assert f"\n{back[1]}: $ 12.000\nNo se devuelve: $ 12.000\n" in to_teacher


def test_a_seat_left_late_says_to_both_what_is_kept(mercadopago, teacher):
    [place] = take(mercadopago, store(teacher))
    with time_machine.travel(place.virtual_class.start_time - timedelta(hours=5)):
        leave_class(class_id=place.virtual_class_id, user=place.person)
        to_student, to_teacher = read(place.person, "Dejaste"), read(teacher, "Dejaron un lugar")

    assert "\nTu pago: No se devuelven $ 8.000: ya pasó el plazo.\n" in to_student
    assert "\nNo se devuelve: $ 8.000\n" in to_teacher
