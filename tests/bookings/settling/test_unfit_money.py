"""Money that does not fit pays nothing; what comes too late goes back."""

import pytest

from bookings.models import (
    ClassStatus,
    Notice,
    NoticeKind,
    PaymentCharge,
    PaymentStatus,
    Refund,
    RefundReason,
    ReviewReason,
    VirtualClass,
)
from tests.bookings.settling.steps import PESOS, look, sweep_money
from tests.factories import VirtualClassFactory
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


@pytest.fixture
def rival(payment):
    """Another class that got the time first."""
    return VirtualClassFactory(
        scheduled=True, owns_time=True, start_time=payment.purchase.virtual_class.start_time
    )


def test_money_for_a_lost_time_goes_back_and_the_class_is_cancelled(
    mercadopago, google, payment, rival, host, teacher
):
    mercadopago.pay(payment.preference_id)

    look(payment)
    returned = look(payment)

    assert returned.purchase.virtual_class.status == ClassStatus.CANCELLED
    assert returned.status == PaymentStatus.REFUNDED
    assert [refund["amount"] for refund in mercadopago.refunds] == [PESOS]
    assert Refund.objects.get().reason == RefundReason.SLOT_LOST
    assert google.live_events() == []
    told = Notice.objects.filter(virtual_class=payment.purchase.virtual_class).order_by("kind")
    assert [(one.kind, one.user) for one in told] == [
        (NoticeKind.CANCELLED, host),
        (NoticeKind.MONEY_BACK, teacher),
        (NoticeKind.MONEY_RETURNED, host),
    ]


def test_a_disputed_payment_schedules_nothing_new(mercadopago, google, payment):
    charge = mercadopago.pay(payment.preference_id)
    google.fault("events.insert", Fault.status(400))
    look(payment)
    mercadopago.advance(seconds=5)
    mercadopago.settle(charge["id"], "in_mediation")

    assert look(payment).purchase.virtual_class.status == ClassStatus.PENDING
    assert google.live_events() == []


def test_a_bank_that_takes_back_one_charge_leaves_the_other_to_the_teacher(
    mercadopago, google, payment
):
    google.fault("events.insert", *[Fault.status(503)] * 4)
    taken, _ = (mercadopago.pay(payment.preference_id, amount=PESOS / 2) for _ in range(2))
    look(payment)
    mercadopago.settle(taken["id"], "charged_back")
    for _ in range(2):
        gone = look(payment)

    assert (gone.purchase.virtual_class.status, gone.review) == (
        ClassStatus.CANCELLED,
        ReviewReason.DISPUTE,
    )
    assert mercadopago.refunds == []

    # The dispute is won: no class, so everything goes back.
    mercadopago.settle(taken["id"], "approved")
    look(payment)
    assert [refund["amount"] for refund in mercadopago.refunds] == [PESOS / 2] * 2
