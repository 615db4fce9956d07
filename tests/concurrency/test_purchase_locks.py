"""A purchase at the moment of its money, its booking or its end."""

import threading
import time
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection, transaction
from django.utils import timezone

from bookings.domain.classes.times import delete_expired_holds
from bookings.domain.exceptions import OfferUsedError
from bookings.domain.money.prices import refuse_second_use
from bookings.domain.sales import checkout
from bookings.domain.sales.checkout import check_out_hold
from bookings.domain.sales.settling import look_up, settle
from bookings.domain.sales.transfers import choose_transfer
from bookings.models import (
    Hold,
    Payment,
    PaymentStatus,
    Price,
    Purchase,
    PurchaseState,
    VirtualClass,
)
from tests.concurrency.racing import SHORT_PATIENCE, race
from tests.concurrency.test_trial_class import book_by_teacher, choose
from tests.payments import make_payment
from tests.sales.transfers import store, take_transfers

pytestmark = pytest.mark.concurrency


def test_two_looks_at_money_that_nobody_booked_yet_approve_it(mercadopago, teacher, host):
    """The second one waits for the first, and must not write back what it read before."""
    payment = make_payment(host, booked=False)
    mercadopago.pay(payment.preference_id)
    is_recorded = threading.Event()

    def look_first():
        with transaction.atomic():
            look_up(payment)
            is_recorded.set()
            time.sleep(SHORT_PATIENCE)

    def look_second():
        assert is_recorded.wait(10)
        settle(payment.preference_id)

    assert race(look_first, look_second) == [None, None]

    stored = Payment.objects.get()
    assert (stored.status, stored.purchase.state) == (PaymentStatus.APPROVED, PurchaseState.PAID)
    assert stored.approved_at == stored.purchase.paid_at


def test_a_checkout_and_the_teacher_do_not_lock_each_other(
    mercadopago, host, trial, teacher, monkeypatch
):
    """Both need the person and the purchase that the checkout has just made."""
    Price.objects.filter(offer=trial).update(amount=500_000)
    chosen = choose(host, trial, 0)

    def check(user, offer):
        refuse_second_use(user, offer)
        if connection.in_atomic_block:
            time.sleep(SHORT_PATIENCE)

    monkeypatch.setattr(checkout, "refuse_second_use", check)

    def book_after_a_moment():
        time.sleep(SHORT_PATIENCE / 2)
        return book_by_teacher(host, trial, teacher, 1)

    check_out = partial(check_out_hold, user=host, hold_id=chosen.pk, students_count=1)
    done = race(check_out, book_after_a_moment)

    assert [type(one) for one in done] == [VirtualClass, OfferUsedError], done


def test_a_time_that_is_kept_longer_in_its_last_moment_stays(host, teacher):
    """Others delete what is over, and find the old end as long as the new one is not committed."""
    take_transfers()
    purchase = store(host).purchase
    ends_at = timezone.now() + timedelta(seconds=SHORT_PATIENCE)
    Purchase.objects.update(kept_until=ends_at, kept_for="")

    def choose_in_time():
        with transaction.atomic():
            choose_transfer(user=host, purchase=purchase)
            time.sleep(3 * SHORT_PATIENCE)

    def delete_after_the_end():
        time.sleep(2 * SHORT_PATIENCE)
        delete_expired_holds()

    assert race(choose_in_time, delete_after_the_end) == [None, None]

    assert Hold.objects.get().is_live()
