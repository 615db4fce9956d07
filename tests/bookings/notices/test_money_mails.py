"""The texts of mails about money."""

from datetime import timedelta

import pytest
import time_machine
from django.core import mail

from bookings.domain.checkout.settling import settle
from bookings.domain.lifecycle.cancelling import cancel_class
from bookings.notices.delivery import deliver_due
from tests.factories import VirtualClassFactory
from tests.payments import make_payment


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
    cancel_class(class_id=payment.virtual_class.pk, actor=teacher, fresh_sign_in=True)

    letters()
    cancelled, returned = (letter for letter in mail.outbox if letter.to == [host.email])
    assert "Tu pago: Te devolvemos $\xa024.000, por el mismo medio" in cancelled.body
    assert "Cuánto: $\xa024.000\nPor qué: La reserva se canceló.\nCuándo: " in returned.body


def test_nobody_is_promised_money_that_was_not_paid(payment, host, teacher):
    cancel_class(class_id=payment.virtual_class.pk, actor=teacher)

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
    virtual_class = payment.virtual_class
    if not is_over:
        VirtualClassFactory(scheduled=True, owns_time=True, start_time=virtual_class.start_time)
    mercadopago.pay(payment.preference_id)
    after = virtual_class.end_time + timedelta(minutes=1)
    with time_machine.travel(after if is_over else virtual_class.created_at):
        settle(payment.preference_id)
        letter = letters()[teacher.email]

    assert letter.subject.startswith("Se devuelve un pago: ")
    assert "Lo que pagó Ana vuelve" in letter.body
