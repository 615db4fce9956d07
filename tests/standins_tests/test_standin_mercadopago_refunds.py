"""Mercado Pago: giving money back, by the seller and by the provider."""

from typing import Literal

import pytest

from tests.standins import Fault, MercadoPagoStandin
from tests.standins_tests.shop import PaymentCaller, problem


@pytest.fixture
def paid(mercadopago: MercadoPagoStandin) -> int:
    """The id of an approved payment of 15,000 pesos."""
    payment_id: int = mercadopago.pay(mercadopago.add_preference()["id"])["id"]
    return payment_id


def state(mercadopago: MercadoPagoStandin) -> tuple[str, str, float]:
    """Give how the one payment stands."""
    (payment,) = mercadopago.payments
    return payment["status"], payment["status_detail"], payment["transaction_amount_refunded"]


def test_partial_refunds_add_up_to_a_full_one(
    mercadopago: MercadoPagoStandin, seller: PaymentCaller, paid: int
) -> None:
    seller.refund(paid, "first", 4999.99)
    partly = state(mercadopago)
    seller.refund(paid, "second", 10000.01)

    assert partly == ("approved", "partially_refunded", 4999.99)
    assert state(mercadopago) == ("refunded", "refunded", 15000)


@pytest.mark.parametrize(
    ("key", "amount", "cause"),
    [("", 1, 4292), ("key", -1, 4040), ("key", "1", 4040), ("key", 15000.01, 2017)],
)
def test_refund_is_refused_without_key_or_with_a_wrong_amount(
    mercadopago: MercadoPagoStandin,
    seller: PaymentCaller,
    paid: int,
    key: str,
    amount: object,
    cause: int,
) -> None:
    answer = seller.refund(paid, key, amount)

    assert problem(answer) == (400, "bad_request", cause)
    assert mercadopago.refunds == []


def test_refund_comes_too_late_after_180_days(
    mercadopago: MercadoPagoStandin, seller: PaymentCaller, paid: int
) -> None:
    mercadopago.advance(days=181)

    assert problem(seller.refund(paid, "key")) == (400, "bad_request", 2024)


@pytest.mark.parametrize("empty", [False, True])
def test_repeated_key_makes_no_second_refund(
    mercadopago: MercadoPagoStandin, seller: PaymentCaller, paid: int, empty: bool
) -> None:
    mercadopago.empty_repeats = empty
    mercadopago.fault("refunds.create", Fault.status(504, done=True))
    timed_out = seller.refund(paid, "key", 100)

    repeated = seller.refund(paid, "key", 100)

    (refund,) = mercadopago.refunds
    assert timed_out.status_code == 504
    assert repeated.status_code == 200
    assert repeated.content == b"" if empty else repeated.json() == refund
    assert state(mercadopago) == ("approved", "partially_refunded", 100)


@pytest.mark.parametrize(
    ("decision", "end"),
    [("approved", ("refunded", "refunded", 15000)), ("rejected", ("approved", "accredited", 0))],
)
def test_refund_in_process_is_decided_later(
    mercadopago: MercadoPagoStandin,
    seller: PaymentCaller,
    paid: int,
    decision: Literal["approved", "rejected"],
    end: tuple[str, str, float],
) -> None:
    mercadopago.refund_status = "in_process"
    refund = seller.refund(paid, "key").json()
    before = state(mercadopago)
    again = seller.refund(paid, "other")

    mercadopago.settle_refund(refund["id"], decision)

    assert (refund["status"], before) == ("in_process", ("approved", "accredited", 0))
    assert problem(again) == (400, "bad_request", 2063)
    assert state(mercadopago) == end
    assert seller.get(f"/v1/payments/{paid}/refunds")[0]["status"] == decision
