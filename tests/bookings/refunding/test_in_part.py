"""domain/money/refunds.py: parts go back to the centavo until nothing is left."""

import pytest

from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.exceptions import RefundOutdatedError, RefundTooLargeError
from bookings.domain.money.refunds import (
    refundable_amount,
    request_refund,
    send_due_refunds,
)
from bookings.domain.sales.settling import settle
from bookings.models import (
    PaymentStatus,
    Refund,
    RefundReason,
)
from tests.bookings.refunding.steps import PESOS, ask_for_part
from tests.payments import PRICE


def test_parts_go_back_to_the_centavo_until_nothing_is_left(mercadopago, paid, charge, teacher):
    ask_for_part(charge, 1, teacher)
    ask_for_part(charge, 1_250_050, teacher, left=PRICE - 1)
    assert send_due_refunds() == 2
    partly = settle(paid.preference_id)
    assert partly.status == PaymentStatus.PARTIALLY_REFUNDED
    assert partly.purchase.virtual_class.is_scheduled
    charge.refresh_from_db()
    assert charge.refunded_amount == 1_250_051

    left = refundable_amount(charge)
    request_refund(payment=paid, reason=RefundReason.BY_TEACHER, by=teacher)
    send_due_refunds()

    assert left == PRICE - 1_250_051
    assert settle(paid.preference_id).status == PaymentStatus.REFUNDED
    assert sum(refund["amount"] for refund in mercadopago.refunds) == pytest.approx(PESOS)
    charge.refresh_from_db()
    assert refundable_amount(charge) == 0


@pytest.mark.parametrize("amount", [0, -1, PRICE + 1])
def test_a_part_is_something_and_at_most_what_is_left(paid, charge, teacher, amount):
    with pytest.raises(RefundTooLargeError):
        ask_for_part(charge, amount, teacher)

    assert not Refund.objects.exists()


def test_a_form_that_is_sent_twice_asks_for_one_part(paid, charge, teacher):
    ask_for_part(charge, 100, teacher)

    with pytest.raises(RefundOutdatedError):
        ask_for_part(charge, 100, teacher)

    assert Refund.objects.count() == 1


def test_cancelling_after_a_part_went_back_returns_the_rest(mercadopago, paid, charge, teacher):
    ask_for_part(charge, 1_000_000, teacher)
    send_due_refunds()

    cancel_class(class_id=paid.purchase.virtual_class.pk, actor=teacher, fresh_sign_in=True)

    assert [refund["amount"] for refund in mercadopago.refunds] == [10_000, PESOS - 10_000]
    assert settle(paid.preference_id).status == PaymentStatus.REFUNDED


@pytest.mark.parametrize("status", ["charged_back", "refunded"])
def test_nothing_is_left_of_a_charge_whose_money_is_not_here(mercadopago, paid, charge, status):
    mercadopago.advance(seconds=5)
    mercadopago.settle(int(charge.charge_id), status)
    settle(paid.preference_id)

    charge.refresh_from_db()
    assert refundable_amount(charge) == 0
