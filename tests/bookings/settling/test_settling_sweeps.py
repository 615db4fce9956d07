"""What no notification told is found by sweeps, which one payment never stops."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from bookings.domain.sales.settling import (
    expire_payments,
    settle,
    settle_due_payments,
    settle_if_not_recent,
)
from bookings.models import Payment, PaymentStatus, VirtualClass
from bookings.payments.gateway import PaymentUnavailableError
from tests.bookings.settling.steps import look
from tests.factories import VirtualClassFactory
from tests.payments import PRICE, make_payment
from tests.standins import Fault

pytestmark = pytest.mark.usefixtures("teacher")


def routes(mercadopago, since=0):
    return [call.route for call in mercadopago.requests[since:]]


def test_a_sweep_finds_what_no_notification_told(mercadopago, payment):
    mercadopago.pay(payment.preference_id)
    assert settle_due_payments() == 0

    with time_machine.travel(timezone.now() + timedelta(minutes=1, seconds=1)):
        assert settle_due_payments() == 1

    assert VirtualClass.objects.get().is_scheduled


def test_payments_are_checked_less_and_less_often_until_they_cannot_come(mercadopago, payment):
    start, waits = timezone.now(), []
    with time_machine.travel(start, tick=False) as clock:
        for _ in range(40):
            payment.refresh_from_db()
            if payment.next_check_at is None:
                break
            waits.append(payment.next_check_at - timezone.now())
            clock.move_to(payment.next_check_at)
            if len(waits) == 16:  # from here on it would be asked hourly for days
                clock.move_to(start + timedelta(days=3, hours=22))
            settle_due_payments()
        last = timezone.now() - start

    assert payment.next_check_at is None
    assert waits == sorted(waits)
    assert waits[0] >= timedelta(seconds=59)
    assert waits[-1] == timedelta(hours=1)
    assert timedelta(days=4) <= last <= timedelta(days=4, hours=2)


def test_a_scheduled_class_is_still_looked_at_daily(mercadopago, payment):
    charge = mercadopago.pay(payment.preference_id)
    look(payment)
    mercadopago.advance(seconds=5)
    mercadopago.settle(charge["id"], "charged_back")

    with time_machine.travel(timezone.now() + timedelta(days=1, minutes=1)):
        settle_due_payments()

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.CHARGED_BACK


def test_two_workers_do_not_check_the_same_payment_at_once(mercadopago, payment, monkeypatch):
    mercadopago.pay(payment.preference_id)
    inner = []

    def settle_meanwhile(preference_id):
        inner.append(settle_due_payments())

    with time_machine.travel(timezone.now() + timedelta(minutes=2)):
        monkeypatch.setattr("bookings.domain.sales.settling.settle", settle_meanwhile)
        settle_due_payments()

    assert inner == [0]


def test_a_provider_that_is_down_is_not_asked_for_every_payment(mercadopago, host):
    for day in range(2, 8):
        make_payment(host, days=day)
    before = len(mercadopago.requests)
    mercadopago.fault("merchant_orders.search", *[Fault.status(503)] * 9)

    with time_machine.travel(timezone.now() + timedelta(minutes=2)):
        assert settle_due_payments() == 0

    assert routes(mercadopago, before) == ["merchant_orders.search"] * 3


def test_preferences_that_anybody_may_name_keep_ours_from_nothing(mercadopago, host, monkeypatch):
    monkeypatch.setattr("bookings.domain.sales.settling.PAYMENTS_PER_SWEEP", 1)
    made_up = VirtualClassFactory(booked_by=host, preference_id="nothing", class_price=PRICE)
    settle(made_up.preference_id)
    Payment.objects.update(next_check_at=timezone.now() - timedelta(hours=1))
    ours = make_payment(host, days=2)
    mercadopago.pay(ours.preference_id)

    with time_machine.travel(timezone.now() + timedelta(minutes=2)):
        settle_due_payments()

    ours.refresh_from_db()
    assert ours.approved_at is not None


def test_preferences_that_the_provider_refuses_are_no_outage(mercadopago, host):
    payments = [make_payment(host, days=days) for days in range(2, 7)]
    mercadopago.pay(payments[-1].preference_id)
    mercadopago.fault("merchant_orders.search", *[Fault.status(400)] * 4)

    with time_machine.travel(timezone.now() + timedelta(minutes=2)):
        assert settle_due_payments() == 1


def test_one_payment_that_cannot_be_settled_stops_no_other(mercadopago, host, monkeypatch, caplog):
    bad, good = make_payment(host, days=2), make_payment(host, days=3)
    mercadopago.pay(good.preference_id)

    def fail_for_the_bad_one(preference_id):
        if preference_id == bad.preference_id:
            raise ValueError("a bug")
        return settle(preference_id)

    monkeypatch.setattr("bookings.domain.sales.settling.settle", fail_for_the_bad_one)
    with time_machine.travel(timezone.now() + timedelta(minutes=2)):
        assert settle_due_payments() == 1

    good.refresh_from_db()
    assert good.purchase.virtual_class.is_scheduled
    assert f"Payment {bad.pk} failed." in caplog.text


def test_a_voucher_is_waited_for_when_nobody_else_would_pay_any_more(mercadopago, payment):
    voucher = mercadopago.pay(payment.preference_id, "pending", method="ticket")
    with time_machine.travel(timezone.now() + timedelta(days=5)) as clock:
        settle_due_payments()
        mercadopago.settle(voucher["id"], "approved")
        clock.shift(timedelta(days=1, minutes=1))
        settle_due_payments()

    payment.refresh_from_db()
    assert payment.approved_at is not None


def test_a_payment_that_got_no_preference_expires(mercadopago, host):
    mercadopago.fault("preferences.create", Fault.status(500))
    with pytest.raises(PaymentUnavailableError):
        make_payment(host)

    assert expire_payments() == 1
    assert Payment.objects.get().status == PaymentStatus.EXPIRED


def test_a_page_asks_the_provider_now_and_then_only(mercadopago, payment):
    before = len(mercadopago.requests)

    for _ in range(3):
        settle_if_not_recent(payment)

    assert routes(mercadopago, before) == ["merchant_orders.search", "payments.search"]
