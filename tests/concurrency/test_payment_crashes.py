"""A process is killed while it settles or refunds; the sweeps finish the work, once."""

import signal
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from types import ModuleType
from typing import Any

import pytest
import time_machine
from django.conf import settings
from django.db.models.signals import post_save
from django.utils import timezone

from bookings.domain.classes import scheduling
from bookings.domain.money import charges, refunds
from bookings.domain.money.refunds import request_refund
from bookings.domain.sales import settling
from bookings.domain.sales.settling import settle
from bookings.models import (
    ClassLog,
    Payment,
    PaymentCharge,
    PaymentStatus,
    Refund,
    RefundReason,
    RefundStatus,
    VirtualClass,
)
from bookings.payments.mercadopago.gateway import MercadoPagoGateway
from tests.bookings.payments.trouble import follow_money
from tests.drills.points import die
from tests.factories import VirtualClassFactory
from tests.payments import PRICE, ask_for_part, make_payment
from tests.processes import run_forked

pytestmark = pytest.mark.concurrency


def before(module: ModuleType | type, name: str) -> Callable[[], None]:
    """Die instead of calling a function."""
    return lambda: setattr(module, name, die)


def after(module: ModuleType | type, name: str) -> Callable[[], None]:
    """Die when a function has been called and nobody has seen what it gave."""

    def install() -> None:
        inner = getattr(module, name)

        @wraps(inner)
        def run(*args: Any, **kwargs: Any) -> None:
            inner(*args, **kwargs)
            die()

        setattr(module, name, run)

    return install


def saving(model: type) -> Callable[[], None]:
    """Die when a row has been written and not yet committed."""
    return lambda: post_save.connect(die, sender=model, weak=False)


SETTLING: dict[str, Callable[[], None]] = {
    "before the provider is asked": before(settling, "look_up"),
    "when the provider has told": before(settling, "record_charges"),
    "in the record, a charge written": saving(PaymentCharge),
    "in the record, the class written": saving(VirtualClass),
    "in the record, all written": saving(Payment),
    "when it is recorded": before(settling, "carry_out"),
    "when it is approved": before(charges, "pay_purchase"),
    "when the event is made": after(scheduling, "create_event"),
    "when the class is scheduled": after(settling, "schedule_class"),
}
REFUNDING: dict[str, Callable[[], None]] = {
    "before the provider is asked": before(MercadoPagoGateway, "refund"),
    "when the provider has given back": after(MercadoPagoGateway, "refund"),
    "while that is written down": saving(Refund),
}


def settle_until(point: str, preference_id: str) -> None:
    SETTLING[point]()
    settling.settle(preference_id)
    die()


def refund_until(point: str) -> None:
    REFUNDING[point]()
    refunds.send_due_refunds()
    die()


ACCOUNT = ("MERCADOPAGO_ACCESS_TOKEN", "MERCADOPAGO_COLLECTOR_ID", "MERCADOPAGO_WEBHOOK_SECRET")


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
    account = {name: getattr(settings, name) for name in ACCOUNT}
    assert run_forked(life, point, *preference, **account) == -signal.SIGKILL


def recover():
    """Let the leases of the dead run out, and run the sweeps of money a few times."""
    for minutes in (10, 60):
        with time_machine.travel(timezone.now() + timedelta(minutes=minutes)):
            assert None not in follow_money()


@pytest.mark.parametrize("point", SETTLING)
def test_a_settlement_that_is_killed_ends_in_one_class(mercadopago, google, payment, point):
    crash(settle_until, point, payment.preference_id)

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
    "point", ["when the provider has told", "in the record, all written", "when it is recorded"]
)
def test_a_settlement_that_is_killed_gives_money_for_a_lost_time_back_once(
    mercadopago, google, payment, point
):
    start = payment.purchase.virtual_class.start_time
    VirtualClassFactory(scheduled=True, owns_time=True, start_time=start)
    crash(settle_until, point, payment.preference_id)

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
    crash(refund_until, point)

    recover()

    assert [refund["amount"] for refund in mercadopago.refunds] == [amount / 100]
    assert Refund.objects.get().status == RefundStatus.DONE
    payment.refresh_from_db()
    expected = PaymentStatus.PARTIALLY_REFUNDED if part else PaymentStatus.REFUNDED
    assert payment.status == expected


def decide(payment, charge, teacher, *, part):
    if part:
        return ask_for_part(charge, 100, teacher)
    [refund] = request_refund(payment=payment, reason=RefundReason.BY_TEACHER, by=teacher)
    return refund
