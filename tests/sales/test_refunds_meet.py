"""Refunds that meet other money: the provider's panel, claims, foreign money, a second promise."""

import pytest
from django.utils import timezone

from bookings.domain.exceptions import BookingError
from bookings.domain.money.money_back import note_return, promise_cash
from bookings.domain.money.refunds import refundable_amount, send_refunds_of
from bookings.domain.sales.her_bookings import confirm_payment
from bookings.domain.sales.transfers import announce_transfer, confirm_transfer
from bookings.models import (
    Entry,
    Payment,
    PaymentCharge,
    Purchase,
    Refund,
    RefundStatus,
    ReviewReason,
)
from bookings.money_state import MoneyState, describe_money, with_money
from bookings.panel.money.export import export_payments
from bookings.payments.backend import get_gateway
from tests.bookings.settling.steps import look
from tests.factories import HoldFactory, VirtualClassFactory
from tests.payments import PRICE, ask_for_part, call_off, make_payment
from tests.sales.transfers import take_transfers

pytestmark = pytest.mark.django_db

PART = 800_000


@pytest.fixture
def payment(mercadopago, host, google, teacher):
    take_transfers()
    return make_payment(host)


@pytest.fixture
def paid(payment, mercadopago):
    mercadopago.pay(payment.preference_id)
    return look(payment)


def describe(payment):
    purchase = with_money(Purchase.objects.filter(pk=payment.purchase_id)).get()
    return describe_money(purchase, timezone.now())


def refund_in_panel(amount):
    charge_id = PaymentCharge.objects.get().charge_id
    get_gateway("mercadopago").refund(charge_id=charge_id, amount=amount, key=f"panel-{amount}")


def refund(amount, teacher):
    """Refund centavos as the teacher does; the provider answers what it was told to."""
    charge = PaymentCharge.objects.get()
    left = refundable_amount(charge)
    ask_for_part(charge, amount, teacher, left=left)
    send_refunds_of(charge.payment)


def cancel(payment, teacher):
    call_off(payment, teacher)


def promise(teacher):
    failed = Refund.objects.filter(status=RefundStatus.FAILED).first()
    return promise_cash(refund_id=failed.pk, by=teacher, fresh_sign_in=True)


def change_at_bank(mercadopago, status):
    mercadopago.advance(seconds=5)
    mercadopago.settle(int(PaymentCharge.objects.get().charge_id), status)


def test_a_refund_of_the_panel_is_not_taken_for_ours(mercadopago, paid, teacher):
    refund_in_panel(PART)
    look(paid)
    mercadopago.refund_status = "in_process"

    cancel(paid, teacher)
    look(paid)

    assert list(Refund.objects.values_list("amount", flat=True)) == [PRICE - PART]
    assert refundable_amount(PaymentCharge.objects.get()) == 0
    money = describe(paid)
    assert (money.state, money.owed_online) == (MoneyState.RETURNING, PRICE - PART)
    assert {one.amount for one in money.returns} == {PART, PRICE - PART}


def test_a_refund_whose_answer_comes_after_its_report_is_ours(mercadopago, paid, teacher):
    cancel(paid, teacher)
    Refund.objects.update(refund_id="")  # as if the report had come first
    PaymentCharge.objects.update(refunded_amount=0, provider_updated_at=paid.created_at)
    look(paid)
    assert PaymentCharge.objects.get().refunded_elsewhere == PRICE

    [made] = mercadopago.refunds
    Refund.objects.update(refund_id=made["id"])
    look(paid)

    assert PaymentCharge.objects.get().refunded_elsewhere == 0


def test_what_was_asked_for_again_is_not_promised_in_cash(mercadopago, paid, teacher):
    mercadopago.refund_status = "rejected"
    refund(PART, teacher)
    mercadopago.refund_status = "in_process"
    refund(PART, teacher)

    with pytest.raises(BookingError):
        promise(teacher)

    assert Refund.objects.exclude(status=RefundStatus.FAILED).get().amount == PART


def test_the_rest_of_a_refused_refund_stays_owed(mercadopago, paid, teacher):
    mercadopago.refund_status = "rejected"
    cancel(paid, teacher)
    mercadopago.refund_status = "in_process"
    refund(PART, teacher)

    assert describe(paid).failed == PRICE - PART
    assert promise(teacher).amount == PRICE - PART


def test_a_chargeback_ends_the_promise_in_cash(mercadopago, paid, teacher):
    mercadopago.refund_status = "rejected"
    cancel(paid, teacher)
    promise(teacher)

    change_at_bank(mercadopago, "charged_back")
    look(paid)

    assert describe(paid).purchase.owed_by_hand == 0


@pytest.fixture
def in_dollars(payment, mercadopago):
    mercadopago.pay(payment.preference_id, currency="USD")
    return look(payment)


def test_foreign_money_goes_back_and_is_in_no_sum(mercadopago, in_dollars, teacher):
    cancel(in_dollars, teacher)
    refund(PRICE, teacher)
    look(in_dollars)

    assert describe(in_dollars).owed_online == 0
    assert not Entry.objects.exists()


def test_foreign_money_is_not_returned_in_pesos(mercadopago, in_dollars, teacher):
    mercadopago.refund_status = "rejected"
    refund(PRICE, teacher)

    with pytest.raises(BookingError):
        promise(teacher)


@pytest.mark.parametrize("unfit", [{"currency": "USD"}, {"external_reference": "another"}])
def test_unfit_money_on_its_way_back_makes_nothing_missing(mercadopago, payment, teacher, unfit):
    mercadopago.pay(payment.preference_id, **unfit)
    look(payment)
    mercadopago.refund_status = "in_process"

    refund(PRICE, teacher)

    assert describe(payment).purchase.missing == PRICE


def test_a_transfer_of_a_part_goes_back_with_its_class(mercadopago, payment, teacher, host):
    mercadopago.pay(payment.preference_id, amount=PART / 100)
    look(payment)
    transfer = announce_transfer(user=host, purchase=payment.purchase, operation_number="12345678")
    refund(PART, teacher)
    look(payment)
    confirm_transfer(transfer_id=transfer.pk, actor=teacher, fresh_sign_in=True)

    cancel(payment, teacher)

    assert describe(payment).purchase.owed_by_hand == transfer.amount


@pytest.fixture
def paid_twice(payment, mercadopago, teacher):
    confirm_payment(class_id=payment.purchase.virtual_class_id, actor=teacher)
    mercadopago.pay(payment.preference_id)
    return look(payment)


def test_a_second_payment_that_the_panel_refunded_is_over(paid_twice):
    refund_in_panel(PRICE)
    look(paid_twice)

    assert (describe(paid_twice).state, describe(paid_twice).second) == (MoneyState.PAID, 0)


def test_no_cash_is_booked_while_a_claim_is_open(mercadopago, payment, teacher):
    mercadopago.pay(payment.preference_id, amount=PART / 100)
    look(payment)
    change_at_bank(mercadopago, "in_mediation")
    look(payment)

    with pytest.raises(BookingError):
        confirm_payment(class_id=payment.purchase.virtual_class_id, actor=teacher)

    assert not Purchase.objects.get().is_paid


def test_a_whole_transfer_after_a_part_is_too_much(mercadopago, payment, teacher, host):
    transfer = announce_transfer(user=host, purchase=payment.purchase, operation_number="12345678")
    mercadopago.pay(payment.preference_id, amount=PART / 100)
    look(payment)

    confirm_transfer(transfer_id=transfer.pk, actor=teacher, fresh_sign_in=True)

    assert Payment.objects.get().review == ReviewReason.OVERPAID


def test_no_rest_is_asked_for_a_time_that_is_taken(mercadopago, payment, teacher, student):
    mercadopago.pay(payment.preference_id, amount=PART / 100)
    look(payment)
    mine = payment.purchase.virtual_class
    HoldFactory(purchase=Purchase.objects.get())
    other = VirtualClassFactory(
        booked_by=student,
        start_time=mine.start_time,
        end_time=mine.end_time,
        class_price=PRICE,
        has_preference=False,
    )

    confirm_payment(class_id=other.pk, actor=teacher, fresh_sign_in=True)

    assert describe(payment).state is MoneyState.REVIEW


def test_the_export_says_what_the_teacher_returned_herself(mercadopago, paid, teacher):
    mercadopago.refund_status = "rejected"
    refund(PART, teacher)

    note_return(refund_id=promise(teacher).pk, actor=teacher)

    assert '"8000,00"' in export_payments(Payment.objects.all()).content.decode()
