"""The last time, or place, by transfer against the last by Mercado Pago: one of the two has it."""

import os
from datetime import timedelta
from functools import partial

import pytest
from django.db import transaction
from django.utils import timezone

from bookings.domain.checkout import transfers
from bookings.domain.checkout.settling import settle
from bookings.domain.checkout.transfer_times import PayWay
from bookings.domain.checkout.transfers import (
    announce_transfer,
    choose_transfer,
    confirm_transfer,
)
from bookings.models import (
    BankTransfer,
    ClassStatus,
    Hold,
    Payment,
    Purchase,
    PurchaseState,
    Refund,
    ReviewReason,
    TransferState,
    UserActivity,
    VirtualClass,
)
from tests.concurrency.racing import race
from tests.factories import UserFactory, VirtualClassFactory
from tests.payments import make_payment
from tests.sales.open_classes import hold, in_days, publish
from tests.sales.transfers import START, announce, book, is_given_back, take_transfers

pytestmark = pytest.mark.concurrency

# As a command: ROUNDS=200 pytest tests/concurrency/test_transfers.py
ROUNDS = int(os.environ.get("ROUNDS", "2"))


@pytest.fixture(autouse=True)
def _rules(google, teacher, mercadopago):
    take_transfers()


def announce_seat(seat):
    return announce_transfer(user=seat.person, purchase=seat, operation_number="12345678")


def race_two_ways(payment, transfer, mercadopago, teacher):
    """Settle a paid payment while the teacher confirms a transfer, and finish both."""
    mercadopago.pay(payment.preference_id)
    confirm = partial(confirm_transfer, transfer_id=transfer.pk, actor=teacher)
    race(partial(settle, payment.preference_id), confirm)
    settle(payment.preference_id)  # the sweep finishes what a collision cut short
    confirm()
    transfer.refresh_from_db()
    payment.refresh_from_db()


def book_online(days):
    start = START + timedelta(days=days % 60, hours=days // 60)
    payment = make_payment(UserFactory())
    online = payment.purchase.virtual_class
    online.start_time, online.end_time = start, start + timedelta(hours=1)
    online.save()
    return payment


def book_both(days):
    """Book one time twice, as JS clients may; one is paid online, the other by transfer."""
    payment = book_online(days)
    online = payment.purchase.virtual_class
    waiting = VirtualClassFactory(
        booked_by=UserFactory(),
        start_time=online.start_time,
        end_time=online.end_time,
        preference_id=f"manual-{days}",
        has_preference=False,
        max_participants=1,
    )
    return payment, online, announce(waiting, f"{days:08}")


@pytest.mark.parametrize("number", range(ROUNDS))
def test_a_time_is_won_once(number, mercadopago, teacher):
    payment, online, transfer = book_both(number)

    race_two_ways(payment, transfer, mercadopago, teacher)

    online.refresh_from_db()
    transfer = BankTransfer.objects.select_related("virtual_class").get()
    waiting = transfer.purchase.virtual_class
    winners = [one for one in (online, waiting) if one.is_scheduled]
    assert len(winners) == 1
    loser = waiting if winners == [online] else online
    assert loser.status == ClassStatus.CANCELLED
    # The loser's money goes back in its own way, once.
    has_refund = Refund.objects.count() == 1
    assert has_refund == (loser == online)
    owed = transfer.state == TransferState.TO_RETURN
    assert owed == (loser == waiting)


def open_place(teacher, number):
    """An open class with one place; each round has one of its own."""
    start = in_days(7 + number % 60) + timedelta(hours=number // 60)
    return publish(
        teacher, places=1, minimum=1, start=start, decides_at=start - timedelta(hours=12)
    )


def hold_both(teacher, number):
    """Two seats of an open class with one place: the time to pay either is over."""
    open_class = open_place(teacher, number)
    held = []
    for _ in range(2):
        held.append(hold(open_class))
        Purchase.objects.places().filter(virtual_class__open_class=open_class).update(
            kept_until=timezone.now()
        )
    return held


def test_the_last_place_is_won_once(mercadopago, teacher):
    winners = [have_one_winner(number, mercadopago, teacher) for number in range(ROUNDS)]

    assert len(winners) == ROUNDS


def have_one_winner(number, mercadopago, teacher):
    online, by_transfer = hold_both(teacher, number)
    transfer = announce_seat(by_transfer)

    race_two_ways(online.payment, transfer, mercadopago, teacher)

    winner = Purchase.objects.places().get(
        state=PurchaseState.PAID, virtual_class__open_class=online.open_class
    )
    inside = UserActivity.objects.exclude(user=teacher).get(virtual_class=online.open_class_id)
    assert inside.user == winner.user
    refunds = Refund.objects.filter(charge__payment=online.payment, amount=online.price)
    if winner == online:
        assert (refunds.count(), transfer.state) == (0, TransferState.TO_RETURN)
    else:
        assert (refunds.count(), transfer.state) == (1, TransferState.CONFIRMED)
    return winner


def pay_class_in_two_ways(number, teacher):
    payment = book_online(number)
    return payment, announce(payment.purchase.virtual_class, f"{number:08}")


def pay_seat_in_two_ways(number, teacher):
    seat = hold(open_place(teacher, number))
    return seat.payment, announce_seat(seat)


@pytest.mark.parametrize("both_ways", [pay_class_in_two_ways, pay_seat_in_two_ways])
def test_two_ways_of_paying_at_once_pay_once(both_ways, mercadopago, teacher):
    for number in range(ROUNDS):
        payment, transfer = both_ways(number, teacher)

        race_two_ways(payment, transfer, mercadopago, teacher)

        seat, booked = transfer.purchase, transfer.purchase.booked_class
        assert seat.state == PurchaseState.PAID if seat else booked.is_scheduled
        assert not Refund.objects.filter(charge__payment=payment).exists()
        paid_online = payment.approved_at is not None
        assert is_given_back(transfer) == paid_online
        assert (payment.review == ReviewReason.PAID_TWICE) == (not paid_online)


def test_without_the_class_lock_both_would_pay_it(mercadopago, teacher, monkeypatch):
    """What the lock prevents: a confirmation that saw the class before its payment was settled."""
    payment = make_payment(UserFactory())
    transfer = announce(payment.purchase.virtual_class)
    mercadopago.pay(payment.preference_id)
    seen_before = BankTransfer.objects.get(), VirtualClass.objects.get()
    settle(payment.preference_id)
    monkeypatch.setattr(transfers, "_lock", lambda transfer_id: seen_before)

    confirm_transfer(transfer_id=transfer.pk, actor=teacher, fresh_sign_in=True)

    assert BankTransfer.objects.get().state == TransferState.CONFIRMED
    assert Payment.objects.get().approved_at is not None


def test_without_the_class_lock_the_last_place_is_won_twice(mercadopago, teacher, monkeypatch):
    """What the lock prevents: a confirmation that saw the place free before it was paid online."""
    online, by_transfer = hold_both(teacher, 0)
    transfer = announce_seat(by_transfer)
    mercadopago.pay(online.payment.preference_id)
    with transaction.atomic():
        seen_before = seats._lock_seat(by_transfer.pk)
    settle(online.payment.preference_id)
    monkeypatch.setattr(seats, "_lock_seat", lambda seat_id: seen_before)

    confirm_transfer(transfer_id=transfer.pk, actor=teacher, fresh_sign_in=True)

    assert Purchase.objects.places().filter(state=PurchaseState.PAID).count() == 2


def test_two_tabs_keep_one_time(mercadopago):
    """A student whom nobody knows yet chooses a transfer for two booked classes at once."""
    host = UserFactory()
    booked = [
        book(host, start=START + timedelta(days=days), way=PayWay.ONLINE) for days in range(2)
    ]

    race(*[partial(choose_transfer, user=host, about=one) for one in booked])

    assert Hold.objects.filter(for_transfer=True).count() == 1


def test_a_double_tap_announces_once(mercadopago):
    booked = book(UserFactory())

    race(partial(announce, booked), partial(announce, booked))

    assert BankTransfer.objects.count() == 1


def test_a_double_tap_confirms_once(mercadopago, teacher):
    transfer = announce(book(UserFactory()))
    confirm = partial(confirm_transfer, transfer_id=transfer.pk, actor=teacher)

    race(confirm, confirm)

    assert VirtualClass.objects.get().log.filter(event="transfer_confirmed").count() == 1
