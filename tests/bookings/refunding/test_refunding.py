"""domain/money/refunds.py: money goes back once, and is followed until it has arrived."""

from datetime import timedelta

import pytest
import time_machine
from django.db import IntegrityError, transaction
from django.utils import timezone

from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.money.refunds import (
    request_refund,
    send_due_refunds,
    send_refunds_of,
)
from bookings.domain.sales.settling import settle
from bookings.models import (
    ClassStatus,
    Payment,
    PaymentStatus,
    Refund,
    RefundReason,
    RefundStatus,
    ReviewReason,
    VirtualClass,
)
from bookings.payments.gateway import CreatedRefund, PaymentUnavailableError
from bookings.payments.mercadopago.gateway import MercadoPagoGateway
from bookings.work.metrics import list_queues, measure
from calendar_sync import CalendarError
from tests.bookings.refunding.steps import PESOS, ask_for_part, later, posts
from tests.payments import PRICE, make_payment
from tests.standins import Fault

# --- The teacher cancels --------------------------------------------------------------------------


def test_cancelling_a_paid_class_gives_the_money_back(mercadopago, paid, teacher):
    cancel_class(class_id=paid.purchase.virtual_class.pk, actor=teacher, fresh_sign_in=True)
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
        cancel_class(class_id=paid.purchase.virtual_class.pk, actor=teacher, fresh_sign_in=True)

    assert VirtualClass.objects.get().status == ClassStatus.CANCELLED
    assert Refund.objects.get().status == RefundStatus.REQUESTED
    assert mercadopago.refunds == []
    with later(minutes=2):
        assert send_due_refunds() == 1
    assert len(mercadopago.refunds) == 1


def test_cancelling_an_unpaid_class_refunds_nothing(mercadopago, host, teacher):
    payment = make_payment(host)

    cancel_class(class_id=payment.purchase.virtual_class.pk, actor=teacher)

    assert not Refund.objects.exists()


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


def test_a_refund_that_timed_out_refunds_once(mercadopago, paid, settings):
    settings.MERCADOPAGO_TIMEOUT = timedelta(milliseconds=400)
    mercadopago.fault("refunds.create", Fault.delay(1.2))
    request_refund(payment=paid, reason=RefundReason.BY_TEACHER)
    assert send_due_refunds() == 0
    settings.MERCADOPAGO_TIMEOUT = timedelta(seconds=4)

    with later(minutes=1):
        assert send_due_refunds() == 1

    assert len(mercadopago.refunds) == 1
    assert len(posts(mercadopago)) == 2


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


def test_a_number_that_another_refund_has_is_not_taken(mercadopago, charge, teacher, monkeypatch):
    """The other one was found by another worker, after this one had looked."""
    for number in range(2):
        ask_for_part(charge, 100, teacher, left=PRICE - number * 100)
    found = CreatedRefund("1800000001", RefundStatus.DONE)
    monkeypatch.setattr(MercadoPagoGateway, "refund", lambda gateway, **what: found)

    assert send_due_refunds() == 1

    numbers = Refund.objects.order_by("pk").values_list("refund_id", "status")
    assert list(numbers) == [("1800000001", "done"), ("", "requested")]


def test_the_database_keeps_the_numbers_of_refunds_apart(charge, teacher):
    for number in range(2):
        ask_for_part(charge, 100, teacher, left=PRICE - number * 100)

    with pytest.raises(IntegrityError), transaction.atomic():
        Refund.objects.update(refund_id="1800000001")


def test_what_was_given_back_elsewhere_is_not_taken_for_a_refund_of_ours(
    mercadopago, charge, teacher
):
    MercadoPagoGateway().refund(charge_id=charge.charge_id, amount=100, key="by the panel")
    with later(hours=1):
        settle(charge.payment.preference_id)
        ask_for_part(charge, 100, teacher, left=PRICE - 100)
        mercadopago.fault("refunds.create", Fault.drop())
        send_due_refunds()

    with later(days=2):
        assert send_due_refunds() == 1

    assert len(mercadopago.refunds) == 2


def test_a_refund_that_never_arrived_is_made_however_late(mercadopago, charge, teacher):
    ask_for_part(charge, 100, teacher)
    mercadopago.fault("refunds.create", Fault.drop())
    send_due_refunds()

    with later(days=2):
        assert send_due_refunds() == 1

    assert len(mercadopago.refunds) == 1


def test_asking_twice_decides_once(paid, teacher):
    first = request_refund(payment=paid, reason=RefundReason.BY_TEACHER, by=teacher)
    second = request_refund(payment=paid, reason=RefundReason.CANCELLED, by=teacher)

    assert (len(first), second) == (1, [])


def test_a_refund_is_nobody_elses_while_it_is_being_sent(mercadopago, paid, monkeypatch):
    request_refund(payment=paid, reason=RefundReason.BY_TEACHER)
    inner = []

    def send_meanwhile(gateway, **what):
        inner.append(send_due_refunds())
        raise PaymentUnavailableError

    monkeypatch.setattr(MercadoPagoGateway, "refund", send_meanwhile)
    send_due_refunds()

    assert inner == [0]


def test_a_provider_that_is_down_is_not_asked_for_every_refund(mercadopago, paid, charge, teacher):
    for number in range(5):
        ask_for_part(charge, 100, teacher, left=PRICE - number * 100)
    mercadopago.fault("refunds.create", *[Fault.status(503)] * 9)

    assert send_due_refunds() == 0

    assert len(posts(mercadopago)) == 3


def test_one_refund_that_cannot_be_sent_stops_no_other(paid, charge, teacher, monkeypatch, caplog):
    bad = ask_for_part(charge, 100, teacher)
    good = ask_for_part(charge, 100, teacher, left=PRICE - 100)
    make = MercadoPagoGateway.refund

    def fail_for_the_bad_one(gateway, **what):
        if what["key"] == bad.key:
            raise ValueError("a bug")
        return make(gateway, **what)

    monkeypatch.setattr(MercadoPagoGateway, "refund", fail_for_the_bad_one)
    assert send_due_refunds() == 1

    good.refresh_from_db()
    assert good.status == RefundStatus.DONE
    assert f"Refund {bad.pk} failed." in caplog.text


def test_a_token_that_is_being_changed_fails_no_refund(mercadopago, paid, teacher):
    mercadopago.fault("refunds.create", Fault.status(401))
    request_refund(payment=paid, reason=RefundReason.BY_TEACHER, by=teacher)

    assert send_due_refunds() == 0
    with later(minutes=5):
        assert send_due_refunds() == 1


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


def test_a_refund_that_the_provider_has_in_hand_wakes_nobody_up(mercadopago, paid):
    def measured():
        now = timezone.now()
        return measure(*list_queues(now)["refunds"], now)

    mercadopago.refund_status = "in_process"
    request_refund(payment=paid, reason=RefundReason.BY_TEACHER)
    with later(hours=1):
        assert measured()[1] >= 59 * 60
    send_refunds_of(paid)

    with later(hours=2):
        assert measured() == (0, 0)
    assert Refund.objects.get().next_attempt_at is not None


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


def test_a_provider_that_fails_after_refusing_is_asked_again(mercadopago, paid):
    mercadopago.fault("refunds.create", Fault.status(400))
    mercadopago.fault("payments.get", Fault.status(503))
    request_refund(payment=paid, reason=RefundReason.BY_TEACHER)
    send_due_refunds()
    assert Refund.objects.get().status == RefundStatus.REQUESTED

    with later(minutes=2):
        assert send_due_refunds() == 1
