"""What goes back when one of two payments was kept, or the provider refused a refund."""

from datetime import timedelta

import pytest
import time_machine

from bookings.domain.classes.cancelling import cancel_class, find_money_of_place, leave_class
from bookings.domain.exceptions import BookingError, PaymentUnderwayError
from bookings.domain.money.charges import accept_second_payment
from bookings.domain.money.money_back import promise_cash
from bookings.domain.money.refunds import (
    refundable_amount,
    request_partial_refund,
    send_refunds_of,
)
from bookings.domain.money.takings import find_balance
from bookings.domain.sales.buying import pay_place_by_hand
from bookings.domain.sales.her_bookings import confirm_payment
from bookings.domain.sales.transfers import announce_transfer
from bookings.models import Entry, PaymentCharge, Refund, ReviewReason
from tests.bookings.settling.steps import look
from tests.payments import PRICE, make_payment
from tests.sales.open_classes import hold, pay, read, store
from tests.sales.transfers import take_transfers


@pytest.fixture
def payment(mercadopago, host, teacher):
    """Ana's payment of a booked class, still to be made."""
    take_transfers()
    return make_payment(host)


@pytest.fixture
def paid(payment, mercadopago):
    mercadopago.pay(payment.preference_id)
    return look(payment)


def refund_part(charge, amount, teacher):
    left = refundable_amount(PaymentCharge.objects.get(pk=charge.pk))
    request_partial_refund(
        charge_id=charge.pk, amount=amount, left=left, by=teacher, fresh_sign_in=True
    )
    send_refunds_of(charge.payment)


def promised():
    return list(Refund.objects.by_hand().values_list("amount", flat=True))


def test_who_leaves_late_gets_nothing_of_the_payment_that_was_kept_instead_of_the_cash(
    mercadopago, teacher, student
):
    place = hold(store(teacher, minimum=1), student)
    pay_place_by_hand(purchase_id=place.pk, actor=teacher)
    pay(mercadopago, place)
    accept_second_payment(place.payment.pk)
    late = place.virtual_class.start_time - timedelta(minutes=5)

    with time_machine.travel(late, tick=False):
        shown = find_money_of_place(read(place))
        leave_class(class_id=place.virtual_class_id, user=student)

    assert (shown.total, shown.kept) == (0, place.price)
    assert not Refund.objects.filter(way="online").exists()
    assert promised() == [place.price]


def test_each_refused_refund_of_an_operation_can_be_promised_in_cash(mercadopago, paid, teacher):
    charge = PaymentCharge.objects.get()
    mercadopago.refund_status = "rejected"
    for amount in (500_000, 700_000):
        refund_part(charge, amount, teacher)
        refused = Refund.objects.filter(way="online").latest("pk")
        for _ in range(2):  # a form that is sent twice
            promise_cash(refund_id=refused.pk, by=teacher, fresh_sign_in=True)

    assert promised() == [500_000, 700_000]


def test_what_was_promised_in_cash_is_not_refunded_besides(mercadopago, paid, teacher):
    """The provider's panel refunds the rest."""
    charge = PaymentCharge.objects.get()
    mercadopago.refund_status = "rejected"
    refund_part(charge, PRICE - 100_000, teacher)
    promise_cash(refund_id=Refund.objects.get().pk, by=teacher, fresh_sign_in=True)
    PaymentCharge.objects.update(refunded_amount=100_000, refunded_elsewhere=100_000)

    charge.refresh_from_db()
    assert refundable_amount(charge) == 0


def test_a_second_payment_that_goes_back_is_not_kept_as_well(payment, mercadopago, teacher):
    confirm_payment(class_id=payment.purchase.virtual_class_id, actor=teacher)
    mercadopago.pay(payment.preference_id)
    look(payment)
    refund_part(PaymentCharge.objects.get(), PRICE, teacher)

    with pytest.raises(BookingError, match="no alcanza"):
        accept_second_payment(payment.pk)

    assert promised() == []


def test_a_part_that_came_before_the_payment_that_is_kept_is_too_much(
    payment, mercadopago, teacher
):
    mercadopago.pay(payment.preference_id, amount=1000)
    look(payment)
    confirm_payment(class_id=payment.purchase.virtual_class_id, actor=teacher)
    mercadopago.pay(payment.preference_id)
    look(payment)

    assert accept_second_payment(payment.pk).review == ReviewReason.OVERPAID

    assert promised() == [PRICE - 100_000]


def test_a_second_payment_of_a_cancelled_class_is_not_kept(payment, mercadopago, teacher):
    confirm_payment(class_id=payment.purchase.virtual_class_id, actor=teacher)
    mercadopago.pay(payment.preference_id)
    look(payment)
    mercadopago.refund_status = "in_process"
    cancel_class(class_id=payment.purchase.virtual_class_id, actor=teacher, fresh_sign_in=True)

    accept_second_payment(payment.pk)

    payment.refresh_from_db()
    assert payment.approved_at is None


def test_no_transfer_is_taken_when_nothing_is_missing(payment, mercadopago, host):
    """The program that made the preference asked for less than the list."""
    type(payment).objects.update(amount=PRICE + 100)
    mercadopago.pay(payment.preference_id)
    short = look(payment)

    with pytest.raises(PaymentUnderwayError):
        announce_transfer(user=host, purchase=short.purchase, operation_number="12345678")


def test_money_with_the_reference_of_another_is_not_taken_for_the_class(
    payment, mercadopago, teacher
):
    mercadopago.pay(payment.preference_id, external_reference="somebody-elses")
    look(payment)

    confirm_payment(class_id=payment.purchase.virtual_class_id, actor=teacher)

    assert Entry.objects.get(way="cash").amount == PRICE
    assert find_balance(payment.purchase.person).by_hand == PRICE
