"""domain/money/refunds.py: money goes back once, and is followed until it has arrived."""

from datetime import timedelta

import pytest
import time_machine
from django.db import IntegrityError, transaction
from django.utils import timezone

from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.exceptions import RefundTooLargeError
from bookings.domain.money.refunds import (
    refundable_amount,
    request_refund,
    send_due_refunds,
    send_refunds_of,
)
from bookings.domain.sales.settling import settle
from bookings.models import (
    ClassStatus,
    Payment,
    PaymentCharge,
    PaymentStatus,
    Refund,
    RefundReason,
    RefundStatus,
    ReviewReason,
    VirtualClass,
)
from calendar_sync import CalendarError
from tests.bookings.stored import store_paid
from tests.payments import PRICE, ask_for_part, call_off, make_payment
from tests.standins import Fault

PESOS = PRICE / 100


def later(**units):
    return time_machine.travel(timezone.now() + timedelta(**units))


def posts(mercadopago):
    return [call for call in mercadopago.requests if call.route == "refunds.create"]


@pytest.fixture
def paid(mercadopago, host, teacher):
    """Ana's scheduled class, paid."""
    return store_paid(mercadopago, host)


@pytest.fixture
def charge(paid):
    """What paid for it."""
    return PaymentCharge.objects.get()


# --- The teacher cancels --------------------------------------------------------------------------


def test_cancelling_a_paid_class_gives_the_money_back(mercadopago, paid, teacher):
    call_off(paid, teacher)
    cancel_class(class_id=paid.purchase.virtual_class.pk, actor=teacher)

    assert [refund["amount"] for refund in mercadopago.refunds] == [PESOS]
    refund = Refund.objects.get()
    assert (refund.status, refund.reason) == (RefundStatus.DONE, RefundReason.CANCELLED)
    assert refund.requested_by == teacher
    assert settle(paid.preference_id).status == PaymentStatus.REFUNDED
    assert Payment.objects.get().review == ReviewReason.NONE


def test_cancelling_promises_the_money_even_if_both_providers_are_down(
    mercadopago, google, host, teacher
):
    payment = make_payment(host)
    mercadopago.pay(payment.preference_id)
    paid = settle(payment.preference_id)
    google.fault("events.delete", Fault.status(400))
    mercadopago.fault("refunds.create", Fault.status(503))

    with pytest.raises(CalendarError):
        call_off(paid, teacher)

    assert VirtualClass.objects.get().status == ClassStatus.CANCELLED
    assert Refund.objects.get().status == RefundStatus.REQUESTED
    assert mercadopago.refunds == []
    with later(minutes=2):
        assert send_due_refunds() == 1
    assert len(mercadopago.refunds) == 1


# --- Once -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("empty_repeats", [False, True])
@pytest.mark.parametrize(
    "fault", [Fault.lost(), Fault.status(500, done=True)], ids=lambda f: f.kind
)
def test_a_refund_that_is_retried_after_its_answer_was_lost_refunds_once(
    mercadopago, paid, fault, empty_repeats
):
    mercadopago.empty_repeats = empty_repeats
    mercadopago.fault("refunds.create", fault)
    [refund] = request_refund(payment=paid, reason=RefundReason.BY_TEACHER)
    assert send_due_refunds() == 0
    with later(minutes=1):
        assert send_due_refunds() == 1

    assert len(mercadopago.refunds) == 1
    assert {call.headers["X-Idempotency-Key"] for call in posts(mercadopago)} == {refund.key}
    refund.refresh_from_db()
    assert (refund.status, refund.refund_id) == (
        RefundStatus.DONE,
        str(mercadopago.refunds[0]["id"]),
    )


@pytest.mark.parametrize("others", [0, 1], ids=["alone", "beside another"])
def test_a_refund_whose_answer_was_lost_long_ago_is_not_made_again(
    mercadopago, charge, teacher, others
):
    for number in range(others):
        ask_for_part(charge, 100, teacher, left=PRICE - number * 100)
        send_due_refunds()
    refund = ask_for_part(charge, 100, teacher, left=PRICE - others * 100)
    mercadopago.fault("refunds.create", Fault.lost())
    send_due_refunds()
    mercadopago._refund_keys.clear()  # the provider has forgotten the key

    with later(days=2):
        assert send_due_refunds() == 1

    assert len(mercadopago.refunds) == others + 1
    refund.refresh_from_db()
    assert refund.status == RefundStatus.DONE


def test_two_refunds_of_one_amount_never_share_a_number(mercadopago, charge, teacher):
    """The second one is answered by 200 without a body, and was not made."""
    first = ask_for_part(charge, 100, teacher)
    assert send_due_refunds() == 1
    second = ask_for_part(charge, 100, teacher, left=PRICE - 100)
    mercadopago.fault("refunds.create", Fault.status(200, body=""))

    assert send_due_refunds() == 0
    second.refresh_from_db()
    assert (second.status, second.refund_id) == (RefundStatus.REQUESTED, "")
    with later(minutes=5):
        assert send_due_refunds() == 1

    ids = [str(refund["id"]) for refund in mercadopago.refunds]
    first.refresh_from_db()
    second.refresh_from_db()
    assert [first.refund_id, second.refund_id] == ids
    assert first.refund_id != second.refund_id


def test_the_database_keeps_the_numbers_of_refunds_apart(charge, teacher):
    for number in range(2):
        ask_for_part(charge, 100, teacher, left=PRICE - number * 100)

    with pytest.raises(IntegrityError), transaction.atomic():
        Refund.objects.update(refund_id="1800000001")


def test_a_refund_that_never_arrived_is_made_however_late(mercadopago, charge, teacher):
    ask_for_part(charge, 100, teacher)
    mercadopago.fault("refunds.create", Fault.drop())
    send_due_refunds()

    with later(days=2):
        assert send_due_refunds() == 1

    assert len(mercadopago.refunds) == 1


def test_a_failing_provider_is_asked_less_and_less_often(mercadopago, paid):
    [refund] = request_refund(payment=paid, reason=RefundReason.BY_TEACHER)
    mercadopago.fault("refunds.create", *[Fault.status(503)] * 10)
    waits = []
    with time_machine.travel(timezone.now(), tick=False) as clock:
        for _ in range(10):
            refund.refresh_from_db()
            waits.append(refund.next_attempt_at - timezone.now())
            clock.move_to(refund.next_attempt_at)
            send_due_refunds()

    assert timedelta(seconds=20) < waits[1] < timedelta(seconds=40)
    assert waits[3] > waits[1]
    assert max(waits) <= timedelta(minutes=75)
    assert refund.failure


# --- To the end -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("decision", "status", "review"),
    [
        ("approved", RefundStatus.DONE, ReviewReason.NONE),
        ("rejected", RefundStatus.FAILED, ReviewReason.REFUND_FAILED),
    ],
)
def test_a_refund_in_process_is_followed_until_it_is_decided(
    mercadopago, paid, decision, status, review
):
    mercadopago.refund_status = "in_process"
    [refund] = request_refund(payment=paid, reason=RefundReason.BY_TEACHER)
    send_refunds_of(paid)
    refund.refresh_from_db()
    assert refund.status == RefundStatus.IN_PROCESS
    mercadopago.settle_refund(int(refund.refund_id), decision)

    with later(minutes=2):
        send_due_refunds()

    refund.refresh_from_db()
    assert (refund.status, refund.next_attempt_at) == (status, None)
    assert Payment.objects.get().review == review
    assert len(posts(mercadopago)) == 1


def test_a_refused_refund_is_left_to_a_person(mercadopago, paid, teacher, caplog):
    mercadopago.fault("refunds.create", Fault.status(400, body={"error": "bad", "cause": []}))
    request_refund(payment=paid, reason=RefundReason.CANCELLED)
    send_due_refunds()

    refund = Refund.objects.get()
    assert refund.status == RefundStatus.FAILED
    assert Payment.objects.get().review == ReviewReason.REFUND_FAILED
    assert "was refused" in caplog.text
    assert request_refund(payment=paid, reason=RefundReason.CANCELLED) == []

    [again] = request_refund(payment=paid, reason=RefundReason.BY_TEACHER, by=teacher)
    assert again.key != refund.key
    assert send_due_refunds() == 1
    assert len(mercadopago.refunds) == 1


def test_a_refund_that_the_panel_made_first_is_done(mercadopago, paid, charge):
    [refund] = request_refund(payment=paid, reason=RefundReason.BY_TEACHER)
    mercadopago.settle(int(charge.charge_id), "refunded")

    assert send_due_refunds() == 1

    refund.refresh_from_db()
    assert refund.status == RefundStatus.DONE
    assert len(mercadopago.refunds) == 1


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
