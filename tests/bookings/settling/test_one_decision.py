"""A refund is one decision: whatever is repeated later gives nothing more back."""

from datetime import timedelta

import pytest
import time_machine
from django.conf import settings
from django.test import Client
from django.utils import timezone

from bookings.domain.classes.cancelling import cancel_class, leave_class
from bookings.domain.sales.notifications import process_notifications
from bookings.models import Payment, PaymentStatus, Refund, RefundReason, RefundStatus, VirtualClass
from tests.bookings.settling.steps import PESOS, look, sweep_money
from tests.factories import VirtualClassFactory
from tests.payments import call_off, posting
from tests.sales.open_classes import PRICE as PLACE_PRICE
from tests.sales.open_classes import hold, pay, publish, read
from tests.standins import Fault

pytestmark = pytest.mark.usefixtures("teacher")


def by_student(mercadopago, payment, host, teacher):
    mercadopago.pay(payment.preference_id)
    look(payment)
    cancel_class(class_id=payment.purchase.virtual_class.pk, actor=host)


def by_teacher(mercadopago, payment, host, teacher):
    mercadopago.pay(payment.preference_id)
    look(payment)
    call_off(payment, teacher)


def for_a_lost_time(mercadopago, payment, host, teacher):
    start = payment.purchase.virtual_class.start_time
    VirtualClassFactory(scheduled=True, owns_time=True, start_time=start)
    mercadopago.pay(payment.preference_id)
    look(payment)


def after_the_class(mercadopago, payment, host, teacher):
    mercadopago.pay(payment.preference_id)
    with time_machine.travel(payment.purchase.virtual_class.end_time + timedelta(minutes=1)):
        look(payment)


def after_cancelling(mercadopago, payment, host, teacher):
    cancel_class(class_id=payment.purchase.virtual_class.pk, actor=host)
    mercadopago.pay(payment.preference_id)
    look(payment)


def repeat_everything(mercadopago, payment, teacher):
    mercadopago.deliver(duplicate=2, post=posting(Client()))
    process_notifications()
    with time_machine.travel(timezone.now() + timedelta(hours=30)):
        sweep_money()
    look(payment)
    if class_id := Payment.objects.get(pk=payment.pk).purchase.virtual_class_id:
        cancel_class(class_id=class_id, actor=teacher, fresh_sign_in=True)


def test_the_money_of_a_place_left_late_stays(mercadopago, host, teacher):
    place = pay(mercadopago, hold(publish(teacher), host))
    with time_machine.travel(place.virtual_class.start_time - timedelta(hours=5)):
        leave_class(class_id=place.virtual_class_id, user=host)

    repeat_everything(mercadopago, place.payment, teacher)

    assert mercadopago.refunds == []
    assert read(place).amount_kept == PLACE_PRICE


@pytest.mark.parametrize(
    ("happen", "reason"),
    [
        (by_student, RefundReason.CANCELLED),
        (by_teacher, RefundReason.CANCELLED),
        (for_a_lost_time, RefundReason.SLOT_LOST),
        (after_the_class, RefundReason.CLASS_OVER),
        (after_cancelling, RefundReason.CANCELLED),
    ],
)
def test_a_cancelled_class_is_refunded_once(mercadopago, payment, host, teacher, happen, reason):
    happen(mercadopago, payment, host, teacher)
    repeat_everything(mercadopago, payment, teacher)

    assert [refund["amount"] for refund in mercadopago.refunds] == [PESOS]
    assert Refund.objects.get().reason == reason
    stored = VirtualClass.objects.get(pk=payment.purchase.virtual_class.pk)
    assert (stored.purchase.refund_reason, stored.purchase.amount_kept) == (reason, 0)
    after = look(payment)
    assert after.status == PaymentStatus.REFUNDED
    # All of it went back, so the provider is asked daily only.
    assert after.next_check_at > timezone.now() + timedelta(hours=23)


def test_money_that_was_never_booked_is_refunded_once(mercadopago, early, teacher):
    mercadopago.pay(early.preference_id)
    look(early)
    with time_machine.travel(timezone.now() + settings.UNBOOKED_PAYMENT_AGE):
        look(early)
        repeat_everything(mercadopago, early, teacher)

    assert [refund["amount"] for refund in mercadopago.refunds] == [PESOS]
    assert Refund.objects.get().reason == RefundReason.NEVER_BOOKED


def test_money_paid_twice_is_refunded_once(mercadopago, payment, teacher):
    mercadopago.pay(payment.preference_id)
    look(payment)
    mercadopago.pay(payment.preference_id)
    look(payment)
    mercadopago.deliver(duplicate=2, post=posting(Client()))
    process_notifications()
    look(payment)
    sweep_money()

    assert [refund["amount"] for refund in mercadopago.refunds] == [PESOS]
    assert Refund.objects.get().reason == RefundReason.PAID_TWICE


def test_a_rejected_refund_is_requested_again_by_the_teacher(mercadopago, payment, host, teacher):
    mercadopago.fault("refunds.create", Fault.status(400, body={"error": "bad", "cause": []}))

    by_student(mercadopago, payment, host, teacher)
    repeat_everything(mercadopago, payment, teacher)

    assert [refund["amount"] for refund in mercadopago.refunds] == [PESOS]
    states = list(Refund.objects.order_by("pk").values_list("status", flat=True))
    assert states == [RefundStatus.FAILED, RefundStatus.DONE]
