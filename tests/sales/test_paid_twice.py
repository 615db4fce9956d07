"""A class that is paid in two ways, and what goes back of it."""

from datetime import timedelta

import pytest
import time_machine

from bookings.domain.classes.cancelling import cancel_class, find_money_of_place, leave_class
from bookings.domain.exceptions import BookingError, PaymentUnderwayError
from bookings.domain.money.charges import accept_second_payment
from bookings.domain.money.money_back import promise_cash
from bookings.domain.money.refunds import refundable_amount, send_refunds_of
from bookings.domain.money.takings import find_balance, list_monthly_takings
from bookings.domain.places.joining import join_class
from bookings.domain.queries import list_money_gone
from bookings.domain.sales.buying import pay_place_by_hand
from bookings.domain.sales.her_bookings import confirm_payment
from bookings.domain.sales.transfers import announce_transfer, confirm_transfer
from bookings.models import (
    BankTransfer,
    Notice,
    NoticeKind,
    Payment,
    PaymentCharge,
    PaymentStatus,
    Refund,
    RefundReason,
    ReviewReason,
    VirtualClass,
)
from bookings.panel.money.payment_steps import list_refundable
from tests.bookings.settling.steps import look
from tests.payments import PRICE, ask_for_part, call_off, make_payment
from tests.sales.open_classes import hold, pay, read, store
from tests.sales.transfers import announce, is_given_back, send_back, take_transfers


@pytest.fixture
def payment(mercadopago, host, google, teacher):
    """Ana's payment of a booked class, still to be made."""
    take_transfers()
    return make_payment(host)


@pytest.fixture
def twice(payment, mercadopago, teacher):
    """The same, of a class that a transfer paid before Mercado Pago's charge."""
    transfer = announce(payment.purchase.virtual_class)
    confirm_transfer(transfer_id=transfer.pk, actor=teacher)
    mercadopago.pay(payment.preference_id)
    return look(payment)


def give_back(payment, teacher):
    ((charge, left),) = list_refundable(payment)
    ask_for_part(charge, left, teacher, left=left)
    send_refunds_of(payment)
    return look(payment)


def month():
    (taken,) = list_monthly_takings()
    return taken.received, taken.by_hand, taken.returned, taken.net


def test_the_second_payment_waits_for_the_teacher_however_often_it_is_read(twice, teacher):
    twice = look(twice)

    assert (twice.review, twice.approved_at) == (ReviewReason.PAID_TWICE, None)
    assert not Refund.objects.exists()
    assert twice.purchase.virtual_class.is_scheduled
    assert Notice.objects.filter(kind=NoticeKind.TO_REVIEW, user=teacher).count() == 1
    assert month() == (PRICE, PRICE, 0, 2 * PRICE)


def test_giving_it_back_settles_it(twice, teacher, mercadopago, student):
    done = give_back(twice, teacher)

    refund = Refund.objects.get(way="online")
    assert (refund.reason, refund.amount) == (RefundReason.PAID_TWICE, PRICE)
    assert refund.key == f"refund-{refund.charge.charge_id}-1"
    assert (done.review, done.status) == (ReviewReason.NONE, PaymentStatus.REFUNDED)
    assert month() == (PRICE, PRICE, PRICE, PRICE)
    # The class stands, and takes guests.
    assert not list_money_gone(done.purchase.virtual_class_id).exists()
    join_class(user=student, access_code=VirtualClass.objects.get().access_code)


def test_keeping_it_leaves_the_transfer_to_be_returned(twice, teacher):
    done = accept_second_payment(twice.pk)

    assert (done.review, done.status) == (ReviewReason.NONE, PaymentStatus.APPROVED)
    transfer = BankTransfer.objects.get()
    assert is_given_back(transfer)
    assert month() == (PRICE, PRICE, 0, 2 * PRICE)
    assert look(done).review == ReviewReason.NONE

    send_back(transfer, teacher)
    assert month() == (PRICE, PRICE, PRICE, PRICE)


def test_too_little_money_is_not_kept_for_the_class(payment, mercadopago, teacher):
    confirm_payment(class_id=payment.purchase.virtual_class_id, actor=teacher)
    mercadopago.pay(payment.preference_id, amount=PRICE / 200)
    assert look(payment).review == ReviewReason.PAID_TWICE

    with pytest.raises(BookingError, match="no alcanza"):
        accept_second_payment(payment.pk)

    assert Payment.objects.get().approved_at is None


def test_cancelling_gives_both_back(twice, teacher):
    call_off(twice, teacher)

    refund = Refund.objects.get(way="online")
    assert (refund.amount, refund.reason) == (PRICE, RefundReason.PAID_TWICE)
    assert is_given_back(BankTransfer.objects.get())
    assert find_balance(twice.purchase.person).to_return == PRICE
    assert look(twice).review == ReviewReason.NONE


def test_money_that_comes_after_cancelling_goes_back_too(payment, mercadopago, teacher):
    transfer = announce(payment.purchase.virtual_class)
    confirm_transfer(transfer_id=transfer.pk, actor=teacher)
    cancel_class(class_id=payment.purchase.virtual_class_id, actor=teacher)
    mercadopago.pay(payment.preference_id)

    done = look(payment)

    assert Refund.objects.get(way="online").amount == PRICE
    assert look(done).status == PaymentStatus.REFUNDED
    assert is_given_back(BankTransfer.objects.get())


@pytest.fixture
def paid(payment, mercadopago):
    mercadopago.pay(payment.preference_id)
    return look(payment)


def refund_part(charge, amount, teacher):
    left = refundable_amount(PaymentCharge.objects.get(pk=charge.pk))
    ask_for_part(charge, amount, teacher, left=left)
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
    call_off(payment, teacher)

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
