"""A class that is paid by hand or by transfer, and also through Mercado Pago."""

import pytest

from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.exceptions import BookingError
from bookings.domain.money.charges import accept_second_payment
from bookings.domain.money.refunds import request_partial_refund, send_refunds_of
from bookings.domain.money.takings import find_balance, list_monthly_takings
from bookings.domain.places.joining import join_class
from bookings.domain.queries import list_money_gone
from bookings.domain.sales.her_bookings import confirm_payment
from bookings.domain.sales.transfers import confirm_transfer
from bookings.models import (
    BankTransfer,
    ClassStatus,
    Notice,
    NoticeKind,
    Payment,
    PaymentStatus,
    Refund,
    RefundReason,
    ReviewReason,
    VirtualClass,
)
from bookings.panel.money.payment_steps import list_refundable
from tests.bookings.settling.steps import look
from tests.payments import PRICE, make_payment
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
    request_partial_refund(
        charge_id=charge.pk, amount=left, left=left, by=teacher, fresh_sign_in=True
    )
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


def test_also_a_class_that_was_marked_as_paid(payment, mercadopago, teacher):
    confirm_payment(class_id=payment.purchase.virtual_class_id, actor=teacher)
    mercadopago.pay(payment.preference_id)

    assert look(payment).review == ReviewReason.PAID_TWICE


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
    cancel_class(class_id=twice.purchase.virtual_class_id, actor=teacher, fresh_sign_in=True)

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


def test_a_transfer_after_mercado_pago_is_to_be_returned(payment, mercadopago, teacher):
    transfer = announce(payment.purchase.virtual_class)
    mercadopago.pay(payment.preference_id)
    paid = look(payment)

    done = confirm_transfer(transfer_id=transfer.pk, actor=teacher)

    assert is_given_back(done)
    assert (paid.review, paid.status) == (ReviewReason.NONE, PaymentStatus.APPROVED)
    assert paid.purchase.virtual_class.status == ClassStatus.SCHEDULED
    assert month() == (PRICE, PRICE, 0, 2 * PRICE)

    # Cancelling then refunds the other one by itself.
    cancel_class(class_id=payment.purchase.virtual_class_id, actor=teacher, fresh_sign_in=True)

    assert Refund.objects.get(way="online").amount == PRICE
    assert is_given_back(BankTransfer.objects.get())
