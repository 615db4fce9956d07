"""A process is killed while it settles or refunds; the sweeps finish the work, once."""

import signal
from datetime import timedelta

import pytest
import time_machine
from django.conf import settings
from django.utils import timezone

from bookings.domain.money.refunds import request_partial_refund, request_refund
from bookings.domain.sales.settling import settle
from bookings.models import ClassLog, PaymentStatus, Refund, RefundReason, RefundStatus
from tests.bookings.payments.trouble import follow_money
from tests.concurrency import mortal_payment
from tests.concurrency.keyless import forget_the_key
from tests.concurrency.mortal_payment import REFUNDING, SETTLING
from tests.factories import VirtualClassFactory
from tests.payments import PRICE, make_payment
from tests.processes import run_forked

ACCOUNT = ("MERCADOPAGO_ACCESS_TOKEN", "MERCADOPAGO_COLLECTOR_ID", "MERCADOPAGO_WEBHOOK_SECRET")

pytestmark = pytest.mark.concurrency


@pytest.fixture
def payment(mercadopago, teacher, host):
    """Ana's payment, made; nobody told us yet."""
    payment = make_payment(host)
    mercadopago.pay(payment.preference_id)
    return payment


@pytest.fixture
def charge(payment):
    """What paid for Ana's scheduled class."""
    return settle(payment.preference_id).charges.get()


def crash(life, point, *preference):
    """Settle or refund in a process of its own, which is killed at ``point``."""
    account = {name: getattr(settings, name) for name in ACCOUNT}
    assert run_forked(life, point, *preference, **account) == -signal.SIGKILL


def recover():
    """Let the leases of the dead run out, and run the sweeps of money a few times."""
    for minutes in (10, 60):
        with time_machine.travel(timezone.now() + timedelta(minutes=minutes)):
            assert None not in follow_money()


@pytest.mark.parametrize("point", SETTLING)
def test_a_settlement_that_is_killed_ends_in_one_class(mercadopago, google, payment, point):
    crash(mortal_payment.settle, point, payment.preference_id)

    recover()

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.APPROVED
    assert [event["id"] for event in google.live_events()] == [
        payment.purchase.virtual_class.provider_event_id
    ]
    events = list(ClassLog.objects.values_list("event", flat=True))
    assert (events.count("paid"), events.count("scheduled")) == (1, 1)
    assert not Refund.objects.exists()


@pytest.mark.parametrize(
    "point",
    ["when the provider has told", "in the record, all written", "when it is recorded"],
)
def test_a_settlement_that_is_killed_gives_money_for_a_lost_time_back_once(
    mercadopago, google, payment, point
):
    start = payment.purchase.virtual_class.start_time
    VirtualClassFactory(scheduled=True, owns_time=True, start_time=start)
    crash(mortal_payment.settle, point, payment.preference_id)

    recover()

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.REFUNDED
    assert payment.purchase.virtual_class.status == "cancelled"
    assert [refund["amount"] for refund in mercadopago.refunds] == [PRICE / 100]
    assert google.live_events() == []


@pytest.mark.parametrize(
    ("point", "part"),
    [*((point, False) for point in REFUNDING), ("when the provider has given back", True)],
)
def test_a_refund_that_is_killed_is_made_once(mercadopago, teacher, payment, charge, point, part):
    amount = decide(payment, charge, teacher, part=part).amount
    crash(mortal_payment.refund, point)

    recover()

    assert [refund["amount"] for refund in mercadopago.refunds] == [amount / 100]
    assert Refund.objects.get().status == RefundStatus.DONE
    payment.refresh_from_db()
    expected = PaymentStatus.PARTIALLY_REFUNDED if part else PaymentStatus.REFUNDED
    assert payment.status == expected


def test_a_part_goes_back_once_only_under_its_own_key(
    mercadopago, teacher, payment, charge, monkeypatch
):
    decide(payment, charge, teacher, part=True)
    crash(mortal_payment.refund, "when the provider has given back")
    forget_the_key(monkeypatch)
    recover()

    assert len(mercadopago.refunds) == 2


def decide(payment, charge, teacher, *, part):
    if part:
        return request_partial_refund(
            charge_id=charge.pk, amount=100, left=PRICE, by=teacher, fresh_sign_in=True
        )
    [refund] = request_refund(payment=payment, reason=RefundReason.BY_TEACHER, by=teacher)
    return refund
