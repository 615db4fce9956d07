"""Money for a class that can no longer be goes back."""

from datetime import timedelta

import pytest
import time_machine

from bookings.domain.classes.cancelling import cancel_class
from bookings.models import (
    ClassStatus,
    Notice,
    NoticeKind,
    PaymentStatus,
    Refund,
    RefundReason,
    ReviewReason,
    VirtualClass,
)
from tests.bookings.settling.steps import PESOS, look, sweep_money
from tests.factories import VirtualClassFactory
from tests.standins import Fault

pytestmark = pytest.mark.usefixtures("teacher")


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


def test_a_class_whose_money_went_back_is_never_scheduled_for_it(
    mercadopago, google, payment, rival
):
    mercadopago.pay(payment.preference_id)
    look(payment)
    VirtualClass.objects.filter(pk=rival.pk).update(status=ClassStatus.CANCELLED, owns_time=False)

    assert look(payment).purchase.virtual_class.status == ClassStatus.CANCELLED
    sweep_money()

    assert google.live_events() == []
    assert len(mercadopago.refunds) == 1


def test_money_that_comes_after_the_class_goes_back(mercadopago, payment):
    mercadopago.pay(payment.preference_id)
    with time_machine.travel(payment.purchase.virtual_class.end_time + timedelta(minutes=1)):
        look(payment)

    assert Refund.objects.get().reason == RefundReason.CLASS_OVER
    assert VirtualClass.objects.get().status == ClassStatus.CANCELLED


def test_money_for_a_cancelled_class_goes_back(mercadopago, google, payment, teacher):
    cancel_class(class_id=payment.purchase.virtual_class.pk, actor=teacher)
    mercadopago.pay(payment.preference_id)

    look(payment)

    assert Refund.objects.get().reason == RefundReason.CANCELLED
    assert len(mercadopago.refunds) == 1
    assert google.live_events() == []


def test_money_after_the_preference_expired_still_counts(mercadopago, payment):
    with time_machine.travel(payment.expires_at + timedelta(minutes=1)):
        assert look(payment).status == PaymentStatus.EXPIRED
        mercadopago.pay(payment.preference_id)

        paid = look(payment)

    assert paid.status == PaymentStatus.APPROVED
    assert paid.purchase.virtual_class.is_scheduled


def test_money_that_went_back_before_the_class_was_made_cancels_it(mercadopago, google, payment):
    charge = mercadopago.pay(payment.preference_id)
    google.fault("events.insert", Fault.status(400))
    look(payment)
    mercadopago.advance(seconds=5)
    mercadopago.settle(charge["id"], "refunded")

    looked = look(payment)

    assert looked.status == PaymentStatus.REFUNDED
    assert looked.purchase.virtual_class.status == ClassStatus.CANCELLED
    assert google.live_events() == []
    assert not Refund.objects.exists()


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
