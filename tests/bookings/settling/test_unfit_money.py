"""Money that does not fit pays nothing, and is left to the teacher."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from bookings.domain.money.refunds import request_partial_refund
from bookings.domain.money.takings import put_aside
from bookings.models import (
    ClassStatus,
    Notice,
    NoticeKind,
    Payment,
    PaymentCharge,
    PaymentStatus,
    ReviewReason,
    VirtualClass,
)
from tests.bookings.settling.steps import PESOS, look, sweep_money
from tests.payments import make_payment
from tests.standins import Fault

pytestmark = pytest.mark.usefixtures("teacher")


def test_money_above_the_price_schedules_and_is_left_to_the_teacher(
    mercadopago, google, payment, teacher
):
    mercadopago.pay(payment.preference_id, amount=PESOS + 1)

    looked = look(payment)
    look(payment)

    assert (looked.status, looked.review) == (PaymentStatus.APPROVED, ReviewReason.OVERPAID)
    assert looked.purchase.virtual_class.is_scheduled
    [told] = Notice.objects.filter(kind=NoticeKind.TO_REVIEW)
    assert told.user == teacher


def test_what_came_above_the_price_is_no_more_to_review_once_it_went_back(
    mercadopago, payment, teacher
):
    mercadopago.pay(payment.preference_id, amount=PESOS + 1)
    look(payment)
    charge = PaymentCharge.objects.get()

    request_partial_refund(
        charge_id=charge.pk, amount=100, left=charge.amount, by=teacher, fresh_sign_in=True
    )
    look(payment)

    assert look(payment).review == ReviewReason.NONE


def test_what_was_put_aside_above_the_price_stays_so(mercadopago, payment, teacher):
    mercadopago.pay(payment.preference_id, amount=PESOS + 1)
    look(payment)
    assert put_aside(payment_id=payment.pk, reason=ReviewReason.OVERPAID, by=teacher)

    assert look(payment).review == ReviewReason.NONE


@pytest.mark.parametrize(
    ("changes", "review"),
    [
        ({"amount": PESOS - 0.01}, ReviewReason.SHORT),
        ({"amount": "0.01"}, ReviewReason.SHORT),
        ({"currency": "USD"}, ReviewReason.CURRENCY),
        ({"collector_id": 1_000_000_002}, ReviewReason.ACCOUNT),
        ({"external_reference": "somebody-elses"}, ReviewReason.REFERENCE),
    ],
    ids=["a centavo short", "one centavo", "dollars", "other collector", "other reference"],
)
def test_money_that_does_not_fit_schedules_nothing(mercadopago, google, payment, changes, review):
    mercadopago.pay(payment.preference_id, **changes)

    looked = look(payment)
    sweep_money()

    assert (looked.status, looked.review) == (PaymentStatus.PENDING, review)
    assert looked.approved_at is None
    assert VirtualClass.objects.get().status == ClassStatus.PENDING
    assert google.events() == mercadopago.refunds == []


def test_the_teacher_is_told_once_what_needs_a_look(mercadopago, payment, teacher):
    for _ in range(2):
        mercadopago.pay(payment.preference_id, currency="USD")
        look(payment)

    told = Notice.objects.get()
    assert (told.kind, told.user) == (NoticeKind.TO_REVIEW, teacher)


def test_the_teacher_is_told_again_of_news_once_she_put_the_payment_aside(
    mercadopago, payment, teacher
):
    charge = mercadopago.pay(payment.preference_id, currency="USD")
    look(payment)
    assert put_aside(payment_id=payment.pk, reason=ReviewReason.CURRENCY, by=teacher)
    mercadopago.advance(seconds=5)
    mercadopago.settle(charge["id"], "charged_back")

    with time_machine.travel(timezone.now() + timedelta(minutes=1)):
        look(payment)

    assert list(Notice.objects.values_list("kind", flat=True)) == [NoticeKind.TO_REVIEW] * 2


def test_the_teacher_is_told_of_money_that_nobody_booked_with(mercadopago, early, teacher):
    for _ in range(2):
        mercadopago.pay(early.preference_id, currency="USD")
        look(early)

    told = Notice.objects.get()
    assert (told.kind, told.user) == (NoticeKind.UNBOOKED_TO_REVIEW, teacher)


def test_what_does_not_fit_is_put_aside_by_a_person_for_good(mercadopago, payment):
    mercadopago.pay(payment.preference_id, currency="USD")
    look(payment)
    Payment.objects.update(review=ReviewReason.NONE)

    assert look(payment).review == ReviewReason.NONE


def test_a_payment_of_somebody_else_pays_nothing_here(mercadopago, google, payment, student):
    other = make_payment(student, days=8)
    mercadopago.pay(other.preference_id)

    assert look(payment).status == PaymentStatus.PENDING
    assert PaymentCharge.objects.count() == 0
    assert google.events() == []


def test_a_charge_counts_for_one_payment_only(mercadopago, google, payment, student):
    other = make_payment(student, days=8)
    charge = mercadopago.pay(other.preference_id)
    look(other)
    orders = [
        {**order, "preference_id": payment.preference_id} for order in mercadopago.merchant_orders
    ]
    mercadopago.fault("merchant_orders.search", Fault.status(200, body={"elements": orders}))

    looked = look(payment)

    assert PaymentCharge.objects.get().charge_id == str(charge["id"])
    assert (looked.status, looked.review) == (PaymentStatus.PENDING, ReviewReason.REFERENCE)
    assert len(google.live_events()) == 1
