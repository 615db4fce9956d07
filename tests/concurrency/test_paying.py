"""Payments at the same time end in one class or one refund, in any order."""

import threading
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial

import pytest
import time_machine
from django.utils import timezone

from bookings.domain.exceptions import RefundOutdatedError
from bookings.domain.money import charges, refunds
from bookings.domain.money.refunds import send_due_refunds
from bookings.domain.sales import settling
from bookings.domain.sales.notifications import process_notifications
from bookings.domain.sales.settling import settle, trigger_scheduling
from bookings.models import ClassLog, ClassStatus, PaymentCharge, PaymentStatus, Refund
from bookings.payments.mercadopago.gateway import MercadoPagoGateway
from bookings.work.sweeps import sweep
from tests.bookings.payments.trouble import follow_money
from tests.concurrency.racing import SHORT_PATIENCE, Gate, in_own_connection, race
from tests.payments import PRICE, ask_for_part, call_off, make_payment, posting

pytestmark = pytest.mark.concurrency


def forget_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out that a refund that is asked for again has the key of the first time."""
    ask = MercadoPagoGateway.refund
    monkeypatch.setattr(
        MercadoPagoGateway,
        "refund",
        lambda gateway, **what: ask(gateway, **{**what, "key": uuid.uuid4().hex}),
    )


PESOS = PRICE / 100


@pytest.fixture
def payment(mercadopago, teacher, host):
    """Ana's payment of a booked class, still to be made."""
    return make_payment(host)


def calm_down():
    """Let the leases of others expire, and run the sweeps of money a few times."""
    for minutes in (10, 60):
        with time_machine.travel(timezone.now() + timedelta(minutes=minutes)):
            assert None not in follow_money()


def unexpected(outcomes, *allowed):
    return [one for one in outcomes if isinstance(one, Exception) and not isinstance(one, allowed)]


def history(event):
    return ClassLog.objects.filter(event=event).count()


def given_back(mercadopago):
    return [refund["amount"] for refund in mercadopago.refunds]


def wait_first(gate, step):
    """Have whoever takes a step wait at the gate before it."""

    def wait_and_take(*args, **kwargs):
        gate.wait()
        return step(*args, **kwargs)

    return wait_and_take


# --- One payment, looked at by many ---------------------------------------------------------------


def test_notices_a_caller_a_page_and_a_sweep_at_once_schedule_once(
    mercadopago, google, payment, make_client
):
    mercadopago.pay(payment.preference_id)
    post = posting(make_client())

    def deliver_and_look(seed):
        mercadopago.deliver("shuffled", duplicate=2, seed=seed, post=post)
        return process_notifications()

    outcomes = race(
        *[partial(deliver_and_look, seed) for seed in range(3)],
        *[partial(settle, payment.preference_id)] * 3,
        *[partial(trigger_scheduling, preference_id=payment.preference_id)] * 2,
        sweep,
    )
    calm_down()

    assert unexpected(outcomes) == []
    payment.refresh_from_db()
    assert payment.status == PaymentStatus.APPROVED
    assert len(google.live_events()) == history("paid") == history("scheduled") == 1
    assert PaymentCharge.objects.filter(counts=True).count() == 1
    assert mercadopago.refunds == []


def test_nobody_gets_402_for_a_class_that_was_paid_before_the_call(
    mercadopago, google, payment, make_client, monkeypatch
):
    """The first look-up read "unpaid" before the payment, and ends while the others wait."""
    read, may_end, record = threading.Event(), threading.Event(), settling.record_charges

    def record_late(*args):
        if not read.is_set():
            read.set()
            assert may_end.wait(10)
        return record(*args)

    monkeypatch.setattr(settling, "record_charges", record_late)
    body = {"preferenceId": payment.preference_id}

    def call():
        return make_client().post("/api/calendar", body, "application/json").status_code

    with ThreadPoolExecutor(1) as pool:
        early = pool.submit(in_own_connection, call)
        assert read.wait(10)
        mercadopago.pay(payment.preference_id)
        before = len(mercadopago.requests)
        threading.Timer(1, may_end.set).start()
        answers = race(*[call] * 8)

    assert Counter(answers) == {200: 8}
    assert early.result() in {200, 402}
    asked = [one.route for one in mercadopago.requests[before:]]
    assert asked.count("merchant_orders.search") <= 2
    assert len(google.live_events()) == 1


def pay_twice_and_look_together(mercadopago, payment, monkeypatch, count=4):
    """Have everybody read both charges before anybody records them."""
    for _ in range(2):
        mercadopago.pay(payment.preference_id)
    gate = Gate(count, SHORT_PATIENCE)
    monkeypatch.setattr(charges, "pay_purchase", wait_first(gate, charges.pay_purchase))
    return race(*[partial(settle, payment.preference_id)] * count)


def test_what_was_paid_twice_goes_back_once(mercadopago, google, payment, monkeypatch):
    outcomes = pay_twice_and_look_together(mercadopago, payment, monkeypatch)
    calm_down()

    assert unexpected(outcomes) == []
    assert given_back(mercadopago) == [PESOS]
    assert history("paid") == len(google.live_events()) == 1


def test_a_class_is_marked_paid_once_only_under_the_lock(
    mercadopago, google, payment, monkeypatch, without_locks
):
    without_locks()

    outcomes = pay_twice_and_look_together(mercadopago, payment, monkeypatch)

    # PostgreSQL lets them all note it; SQLite refuses those who come later.
    assert history("paid") != 1 or unexpected(outcomes)


# --- Cancelling beside settling and refunding -----------------------------------------------------


@pytest.mark.parametrize("scheduled", [False, True], ids=["pending", "scheduled"])
def test_a_cancellation_beside_settlements_ends_without_class_and_money(
    mercadopago, google, payment, teacher, scheduled
):
    mercadopago.pay(payment.preference_id)
    if scheduled:
        settle(payment.preference_id)

    outcomes = race(
        partial(call_off, payment, teacher),
        *[partial(settle, payment.preference_id)] * 3,
        partial(call_off, payment, teacher),
        sweep,
    )
    calm_down()

    assert unexpected(outcomes) == []
    payment.refresh_from_db()
    assert payment.status == PaymentStatus.REFUNDED
    assert payment.purchase.virtual_class.status == ClassStatus.CANCELLED
    assert given_back(mercadopago) == [PESOS]
    assert google.live_events() == []
    assert history("cancelled") == 1


def test_parts_and_a_cancellation_never_give_back_more_than_came(mercadopago, payment, teacher):
    mercadopago.pay(payment.preference_id)
    charge = settle(payment.preference_id).charges.get()
    part = partial(ask_for_part, charge, PRICE // 2, teacher)

    outcomes = race(
        part,
        part,
        partial(call_off, payment, teacher),
        part,
    )
    calm_down()

    assert unexpected(outcomes, RefundOutdatedError) == []
    assert sum(given_back(mercadopago)) == PESOS
    payment.refresh_from_db()
    assert payment.status == PaymentStatus.REFUNDED


# --- One refund, sent by many ---------------------------------------------------------------------


@pytest.fixture
def refund(mercadopago, payment, teacher):
    """A part that is to go back."""
    mercadopago.pay(payment.preference_id)
    charge = settle(payment.preference_id).charges.get()
    return ask_for_part(charge, 100, teacher)


def test_one_refund_is_sent_once(mercadopago, refund):
    outcomes = race(*[send_due_refunds] * 6)

    assert sorted(outcomes) == [0] * 5 + [1]
    assert given_back(mercadopago) == [1]


def send_together(monkeypatch, refund, count=3):
    """Have everybody take the refund for theirs, as when a lease runs out while one is at it."""
    gate, get_gateway = Gate(count, SHORT_PATIENCE), refunds.get_gateway

    def give_way_and_ask(provider):
        Refund.objects.filter(pk=refund.pk).update(next_attempt_at=timezone.now())
        gate.wait()
        return get_gateway(provider)

    monkeypatch.setattr(refunds, "get_gateway", give_way_and_ask)

    def send_when_free():
        while not send_due_refunds() and Refund.objects.get(pk=refund.pk).done_at is None:
            pass
        return True

    return race(*[send_when_free] * count)


def test_a_lease_that_runs_out_sends_the_same_refund(mercadopago, refund, monkeypatch):
    assert send_together(monkeypatch, refund) == [True] * 3

    assert given_back(mercadopago) == [1]


def test_a_refund_is_made_once_only_by_its_key(mercadopago, refund, monkeypatch):
    forget_the_key(monkeypatch)
    send_together(monkeypatch, refund)

    assert len(given_back(mercadopago)) > 1
