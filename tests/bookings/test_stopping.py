"""domain/money/checkouts.py: nobody is left with a voucher whose money could only go back."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.sales.her_bookings import confirm_payment
from bookings.domain.sales.settling import settle, settle_due_payments
from bookings.models import ChargeStatus, PaymentCharge
from tests.factories import VirtualClassFactory
from tests.payments import make_payment
from tests.standins import Fault

pytestmark = pytest.mark.usefixtures("teacher")


@pytest.fixture
def payment(mercadopago, host):
    """Ana's payment of a booked class, for which she got a voucher that we know of."""
    payment = make_payment(host)
    mercadopago.pay(payment.preference_id, "pending", method="ticket")
    settle(payment.preference_id)
    payment.refresh_from_db()
    return payment


def voucher(mercadopago):
    return mercadopago.payments[0]["status"]


def later(**units):
    return time_machine.travel(timezone.now() + timedelta(**units))


def test_cancelling_a_class_cancels_the_voucher(mercadopago, payment, teacher):
    cancel_class(class_id=payment.purchase.virtual_class.pk, actor=teacher)

    assert voucher(mercadopago) == "cancelled"
    settle_due_payments()
    assert PaymentCharge.objects.get().status == ChargeStatus.CANCELLED


@pytest.mark.parametrize(
    "fault", [Fault.status(503), Fault.drop(), Fault.lost(), Fault.status(400)], ids=repr
)
def test_a_voucher_that_could_not_be_cancelled_is_cancelled_later(
    mercadopago, payment, teacher, fault
):
    mercadopago.fault("payments.update", fault)
    cancel_class(class_id=payment.purchase.virtual_class.pk, actor=teacher)

    with later(hours=1, minutes=1):
        settle_due_payments()

    assert voucher(mercadopago) == "cancelled"


def test_a_time_that_another_class_owns_cancels_the_voucher(mercadopago, payment):
    VirtualClassFactory(scheduled=True, start_time=payment.purchase.virtual_class.start_time)

    settle(payment.preference_id)

    assert voucher(mercadopago) == "cancelled"


def test_a_class_that_is_paid_otherwise_cancels_the_voucher(mercadopago, payment):
    mercadopago.pay(payment.preference_id)

    settle(payment.preference_id)

    assert voucher(mercadopago) == "cancelled"
    payment.refresh_from_db()
    assert payment.purchase.virtual_class.is_scheduled


def test_what_the_teacher_vouched_for_may_be_the_voucher(mercadopago, payment, teacher):
    confirm_payment(class_id=payment.purchase.virtual_class.pk, actor=teacher)

    settle(payment.preference_id)

    assert voucher(mercadopago) == "pending"
