"""Money that is enough schedules its class once; reports that come late take nothing back."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from bookings.domain.sales.her_bookings import confirm_payment
from bookings.models import (
    ChargeStatus,
    ClassLog,
    ClassStatus,
    PaymentCharge,
    PaymentStatus,
    Refund,
    RefundReason,
    ReviewReason,
)
from tests.bookings.settling.steps import PESOS, look
from tests.standins import Fault

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
    assert list(ClassLog.objects.values_list("event", flat=True)) == ["booked", "paid", "scheduled"]
    assert not Refund.objects.exists()


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


@pytest.mark.parametrize("status", ["pending", "rejected", "cancelled"])
def test_money_that_came_is_not_made_undone_by_a_later_report(
    mercadopago, google, payment, teacher, status
):
    charge = mercadopago.pay(payment.preference_id)
    look(payment)
    mercadopago.advance(seconds=5)
    mercadopago.settle(charge["id"], status)

    for _ in range(2):
        looked = look(payment)

    is_gone = status in {"rejected", "cancelled"}
    assert PaymentCharge.objects.get().status == ChargeStatus.APPROVED
    assert looked.status == PaymentStatus.APPROVED
    assert looked.review == (ReviewReason.REFUNDED_ELSEWHERE if is_gone else ReviewReason.NONE)
    assert len(google.live_events()) == 1


def test_an_older_report_never_undoes_a_payment(mercadopago, google, payment):
    charge = mercadopago.pay(payment.preference_id, "pending")
    before = mercadopago.payments[0]
    mercadopago.advance(seconds=5)
    mercadopago.settle(charge["id"], "approved")
    look(payment)
    mercadopago.fault("payments.get", Fault.status(200, body=before))

    looked = look(payment)

    assert looked.status == PaymentStatus.APPROVED
    assert PaymentCharge.objects.get().status == ChargeStatus.APPROVED


@pytest.mark.parametrize(
    ("told", "status", "review"),
    [
        ("refunded", PaymentStatus.REFUNDED, ReviewReason.REFUNDED_ELSEWHERE),
        ("in_mediation", PaymentStatus.DISPUTED, ReviewReason.DISPUTE),
        ("charged_back", PaymentStatus.CHARGED_BACK, ReviewReason.DISPUTE),
    ],
)
def test_money_that_leaves_later_is_flagged_and_the_class_stays(
    mercadopago, google, payment, told, status, review
):
    charge = mercadopago.pay(payment.preference_id)
    look(payment)
    mercadopago.advance(seconds=5)
    mercadopago.settle(charge["id"], told)

    looked = look(payment)

    assert (looked.status, looked.review) == (status, review)
    assert looked.purchase.virtual_class.is_scheduled
    assert len(google.live_events()) == 1
    assert not Refund.objects.exists()


@pytest.fixture
def refused(mercadopago, google, payment):
    """Ana's payment, made; the calendar refused the event of its class."""
    google.fault("events.insert", Fault.status(400))
    mercadopago.pay(payment.preference_id)
    looked = look(payment)
    assert looked.purchase.virtual_class.scheduling_refusal == "calendar_refused"
    return looked


def inserts(google):
    return [call for call in google.requests if call.route == "events.insert"]


def test_a_calendar_that_refused_is_asked_again_by_a_person_only(google, refused, teacher):
    look(refused)
    assert len(inserts(google)) == 1

    assert confirm_payment(class_id=refused.purchase.virtual_class.pk, actor=teacher).is_scheduled
    assert not Refund.objects.exists()


def test_money_for_a_class_that_nobody_scheduled_goes_back_in_the_end(google, refused):
    with time_machine.travel(timezone.now() + timedelta(days=8)):
        assert look(refused).purchase.virtual_class.status == ClassStatus.CANCELLED

    assert Refund.objects.get().reason == RefundReason.CLASS_OVER
    assert len(inserts(google)) == 1
