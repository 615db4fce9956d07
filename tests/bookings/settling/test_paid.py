"""Money that is enough schedules its class, once; what is more goes back."""

import pytest

from bookings.domain.sales.her_bookings import confirm_payment
from bookings.models import ClassLog, ClassStatus, PaymentStatus, Refund, RefundReason, ReviewReason
from tests.bookings.settling.steps import PESOS, look

pytestmark = pytest.mark.usefixtures("teacher")


def live_events(google):
    return [event["id"] for event in google.live_events()]


def test_an_approved_payment_schedules_its_class_once(mercadopago, google, payment):
    mercadopago.pay(payment.preference_id)

    states = [look(payment).status for _ in range(3)]

    payment.refresh_from_db()
    assert states == [PaymentStatus.APPROVED] * 3
    assert payment.purchase.virtual_class.is_scheduled
    assert payment.purchase.virtual_class.purchase.paid_at == payment.approved_at
    assert live_events(google) == [payment.purchase.virtual_class.provider_event_id]
    assert list(ClassLog.objects.values_list("event", flat=True)) == [
        "booked",
        "paid",
        "scheduled",
    ]
    assert not Refund.objects.exists()


def test_a_payment_that_nobody_made_changes_nothing(mercadopago, google, payment):
    assert look(payment).status == PaymentStatus.PENDING
    assert payment.purchase.virtual_class.status == ClassStatus.PENDING
    assert google.events() == []


@pytest.mark.parametrize("status", ["pending", "authorized"])
def test_an_attempt_under_way_is_waited_for(mercadopago, google, payment, status):
    mercadopago.pay(payment.preference_id, status)

    assert look(payment).status == PaymentStatus.PENDING
    assert google.events() == []


def test_a_pending_attempt_that_is_approved_later_pays(mercadopago, payment):
    charge = mercadopago.pay(payment.preference_id, "pending", method="ticket")
    look(payment)
    mercadopago.settle(charge["id"], "approved")

    assert look(payment).purchase.virtual_class.is_scheduled


def test_a_rejected_attempt_may_be_followed_by_a_good_one(mercadopago, payment):
    mercadopago.pay(payment.preference_id, "rejected")
    assert look(payment).status == PaymentStatus.REJECTED

    mercadopago.pay(payment.preference_id)

    paid = look(payment)
    assert paid.status == PaymentStatus.APPROVED
    assert paid.purchase.virtual_class.is_scheduled


def test_two_parts_pay_together(mercadopago, payment):
    mercadopago.pay(payment.preference_id, amount=PESOS - 0.01)
    short = look(payment)
    assert (short.status, short.review) == (PaymentStatus.PENDING, ReviewReason.SHORT)

    mercadopago.pay(payment.preference_id, amount="0.01")

    paid = look(payment)
    assert (paid.status, paid.review) == (PaymentStatus.APPROVED, ReviewReason.NONE)
    assert paid.purchase.virtual_class.is_scheduled
    assert not Refund.objects.exists()


def test_too_little_may_become_too_much(mercadopago, payment):
    mercadopago.pay(payment.preference_id, amount=PESOS - 1)
    look(payment)
    mercadopago.pay(payment.preference_id, amount=2)

    paid = look(payment)
    assert (paid.status, paid.review) == (PaymentStatus.APPROVED, ReviewReason.OVERPAID)


def test_a_second_payment_goes_back(mercadopago, google, payment):
    mercadopago.pay(payment.preference_id)
    look(payment)
    second = mercadopago.pay(payment.preference_id)

    for _ in range(2):
        look(payment)

    [refund] = mercadopago.refunds
    assert refund["payment_id"] == second["id"]
    assert [r.reason for r in Refund.objects.all()] == [RefundReason.PAID_TWICE]
    payment.refresh_from_db()
    assert payment.status == PaymentStatus.APPROVED
    assert payment.purchase.virtual_class.is_scheduled
    assert len(google.live_events()) == 1


def test_an_older_attempt_that_is_approved_later_is_the_surplus(mercadopago, payment):
    voucher = mercadopago.pay(payment.preference_id, "pending", method="ticket")
    mercadopago.pay(payment.preference_id)
    look(payment)
    mercadopago.settle(voucher["id"], "approved")

    look(payment)

    assert [refund["payment_id"] for refund in mercadopago.refunds] == [voucher["id"]]


def test_the_teachers_word_is_enough(mercadopago, payment, teacher):
    confirmed = confirm_payment(class_id=payment.purchase.virtual_class.pk, actor=teacher)

    assert confirmed.is_scheduled
    assert confirmed.purchase.paid_at is not None
