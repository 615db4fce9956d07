"""Money that went back: who reads why, how much and when, and what a class without its money is."""

from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse
from django.utils import timezone

from bookings.domain.exceptions import ClassNotFoundError
from bookings.domain.money.money_back import promise_cash
from bookings.domain.money.refunds import request_refund, send_due_refunds
from bookings.domain.places.joining import join_class
from bookings.domain.places.waiting_list import wait_for_place
from bookings.domain.sales.settling import settle
from bookings.models import Notice, NoticeKind, PaymentCharge, Purchase, Refund, RefundReason
from bookings.money_state import REASONS, ReturnState, describe_money
from bookings.money_state.returns import CHARGEBACK
from bookings.notices.delivery import deliver_due
from bookings.notices.rendering import render_mail
from bookings.notices.skip_rules import refund_settled
from tests.bookings.stored import store_paid
from tests.payments import PRICE, ask_for_part, call_off, make_payment
from tests.standins import Fault


@pytest.fixture
def payment(mercadopago, google, host, teacher):
    """Ana's payment of a booked class, still to be made."""
    return make_payment(host)


@pytest.fixture
def paid(mercadopago, google, host, teacher):
    """Ana's scheduled class, paid."""
    return store_paid(mercadopago, host)


def charge_id():
    return int(PaymentCharge.objects.get(counts=True).charge_id)


def charge_back(mercadopago, payment):
    mercadopago.settle(charge_id(), "charged_back")
    with time_machine.travel(timezone.now() + timedelta(minutes=2)):
        return settle(payment.preference_id)


def told(payment):
    """Give reason, amount and state of each part of the money that went back."""
    purchase = Purchase.objects.get(pk=payment.purchase_id)
    parts = describe_money(purchase, timezone.now()).returns
    return [(part.reason, part.amount, part.state) for part in parts]


def read_mail(user, kind):
    [notice] = Notice.objects.filter(user=user, kind=kind)
    return render_mail(notice).body


def read_page(client, payment):
    return client.get(reverse("bookings:payment", args=[payment.pk])).content.decode()


# --- A class without its money --------------------------------------------------------------------


@pytest.mark.parametrize("way", ["charged back", "refunded"])
def test_a_class_whose_money_went_back_takes_no_new_joins(
    mercadopago, paid, student, teacher, sign_in, host, way
):
    code = paid.purchase.virtual_class.access_code
    if way == "charged back":
        after = charge_back(mercadopago, paid)
    else:
        request_refund(payment=paid, reason=RefundReason.BY_TEACHER, by=teacher)
        assert send_due_refunds() == 1
        after = settle(paid.preference_id)

    assert after.is_money_gone
    with pytest.raises(ClassNotFoundError):
        join_class(user=student, access_code=code)
    with pytest.raises(ClassNotFoundError):
        wait_for_place(user=student, access_code=code)
    page = sign_in(host).get(reverse("bookings:class", args=[paid.purchase.virtual_class.pk]))
    assert "Nadie más puede sumarse con el código." in page.content.decode()
    assert code not in page.content.decode()


# --- Why, how much, when --------------------------------------------------------------------------


def test_a_refused_refund_says_so(mercadopago, paid, teacher, host, sign_in):
    mercadopago.refund_status = "rejected"
    call_off(paid, teacher)

    assert told(paid) == [(REASONS[RefundReason.CANCELLED], PRICE, ReturnState.FAILED)]
    page = read_page(sign_in(host), paid)
    assert "No pudimos devolverte $\xa024.000" in page
    assert "Te devolvemos $" not in page
    assert not Notice.objects.filter(kind=NoticeKind.MONEY_RETURNED).exists()
    mail = read_mail(host, NoticeKind.REFUND_FAILED)
    assert "Tu profe ya lo sabe y te va a contactar" in mail
    assert "$\xa024.000" in mail
    assert str(REASONS[RefundReason.CANCELLED]) in mail
    assert Notice.objects.filter(user=teacher, kind=NoticeKind.TO_REVIEW).count() == 1


def test_a_refused_refund_is_not_mailed_once_the_teacher_asked_for_it_again(
    mercadopago, paid, teacher, host
):
    mercadopago.refund_status = "rejected"
    call_off(paid, teacher)
    mercadopago.refund_status = "approved"
    request_refund(payment=paid, reason=RefundReason.BY_TEACHER, by=teacher)
    send_due_refunds()

    deliver_due()

    states = Notice.objects.filter(user=host).values_list("kind", "failure")
    assert (NoticeKind.REFUND_FAILED, refund_settled.reason) in states
    assert (NoticeKind.MONEY_RETURNED, "") in states


def test_a_part_that_was_refunded_before_the_class_was_cancelled(
    mercadopago, paid, teacher, host, sign_in
):
    charge = PaymentCharge.objects.get()
    ask_for_part(charge, 400000, teacher)
    send_due_refunds()
    mercadopago.fault("refunds.create", Fault.status(503))
    settle(paid.preference_id)
    call_off(paid, teacher)

    page = read_page(sign_in(host), paid)

    assert [(amount, state) for _, amount, state in told(paid)] == [
        (400_000, ReturnState.DONE),
        (2_000_000, ReturnState.UNDERWAY),
    ]
    assert "La clase sigue como estaba" not in page
    assert "Te devolvemos $\xa020.000" in page
    assert "Te devolvemos $\xa020.000 al medio con que pagaste" in read_mail(
        host, NoticeKind.CANCELLED
    )


def test_a_chargeback_tells_the_teacher_its_cause(mercadopago, google, payment, teacher, host):
    google.fault("events.insert", *[Fault.status(400)] * 4)
    mercadopago.pay(payment.preference_id)
    settle(payment.preference_id)

    charge_back(mercadopago, payment)

    assert told(payment) == [(REASONS[CHARGEBACK], PRICE, ReturnState.DONE)]
    mail = read_mail(teacher, NoticeKind.MONEY_BACK)
    assert str(REASONS[CHARGEBACK]) in mail
    assert "no se pudo agendar" not in mail


def test_a_refused_refund_that_the_teacher_returns_in_cash_is_said_so(
    mercadopago, paid, teacher, host
):
    mercadopago.refund_status = "rejected"
    call_off(paid, teacher)
    promise_cash(refund_id=Refund.objects.get().pk, by=teacher, fresh_sign_in=True)

    deliver_due()

    reason = REASONS[RefundReason.CANCELLED]
    assert told(paid) == [(reason, PRICE, ReturnState.UNDERWAY)]
    mail = read_mail(host, NoticeKind.CANCELLED)
    assert "Tu pago: Tu profe te devuelve $\xa024.000 en efectivo.\n" in mail
    failed = Notice.objects.get(kind=NoticeKind.REFUND_FAILED)
    assert failed.failure == refund_settled.reason
