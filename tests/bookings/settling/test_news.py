"""Reports that come late, twice or not at all take nothing back."""

import pytest

from bookings.domain.sales.settling import settle
from bookings.models import (
    ChargeStatus,
    ClassStatus,
    PaymentCharge,
    PaymentStatus,
    Refund,
    ReviewReason,
    VirtualClass,
)
from bookings.payments.gateway import PaymentUnavailableError
from calendar_sync.google import events
from tests.bookings.settling.steps import PESOS, look
from tests.payments import PRICE
from tests.standins import Fault

pytestmark = pytest.mark.usefixtures("teacher")


@pytest.fixture
def impatient(monkeypatch):
    """Wait for nothing between two tries at the calendar."""
    monkeypatch.setattr(events, "RETRY_WAITS", (0, 0))


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


def test_an_amount_that_grows_later_breaks_nothing(mercadopago, payment):
    charge = mercadopago.pay(payment.preference_id)
    look(payment)
    grown = {
        **charge,
        "transaction_amount": PESOS * 2,
        "transaction_amount_refunded": PESOS * 2,
        "status": "refunded",
        "date_last_updated": "2100-01-01T00:00:00.000-03:00",
    }
    mercadopago.fault("payments.get", Fault.status(200, body=grown))

    assert look(payment).status == PaymentStatus.REFUNDED
    assert PaymentCharge.objects.get().refunded_amount == PRICE


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


def test_a_dispute_that_is_won_is_an_approved_payment_again(mercadopago, payment):
    charge = mercadopago.pay(payment.preference_id)
    look(payment)
    for status in ("in_mediation", "approved"):
        mercadopago.advance(seconds=5)
        mercadopago.settle(charge["id"], status)
        look(payment)

    assert look(payment).status == PaymentStatus.APPROVED


def test_a_provider_that_is_down_only_delays(mercadopago, payment):
    mercadopago.pay(payment.preference_id)
    mercadopago.fault("merchant_orders.search", Fault.status(503))

    with pytest.raises(PaymentUnavailableError):
        settle(payment.preference_id)

    assert look(payment).purchase.virtual_class.is_scheduled


def test_a_calendar_that_is_down_only_delays(mercadopago, google, payment, impatient):
    mercadopago.pay(payment.preference_id)
    google.fault("events.insert", *[Fault.status(503)] * 6)

    assert look(payment).purchase.virtual_class.status == ClassStatus.PENDING
    assert look(payment).purchase.virtual_class.status == ClassStatus.PENDING

    assert look(payment).purchase.virtual_class.is_scheduled
    assert len(google.live_events()) == 1


def test_what_is_known_is_carried_out_while_the_provider_is_down(
    mercadopago, google, payment, impatient
):
    mercadopago.pay(payment.preference_id)
    google.fault("events.insert", *[Fault.status(503)] * 3)
    look(payment)
    mercadopago.fault("merchant_orders.search", Fault.status(503))

    with pytest.raises(PaymentUnavailableError):
        settle(payment.preference_id)

    assert VirtualClass.objects.get().is_scheduled


def test_a_preference_that_goes_with_nothing_here_is_nobodys(mercadopago, db):
    assert settle("unknown") is None
    assert mercadopago.requests == []
