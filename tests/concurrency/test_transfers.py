"""The last time, or place, by transfer against the last by Mercado Pago: one of the two has it."""

from datetime import timedelta
from functools import partial

import pytest
from django.db import IntegrityError

from bookings.domain.sales import transfers
from bookings.domain.sales.holds import PayWay
from bookings.domain.sales.settling import settle
from bookings.domain.sales.transfers import (
    announce_transfer,
    choose_transfer,
    confirm_transfer,
)
from bookings.models import (
    BankTransfer,
    ClassStatus,
    MoneyWay,
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
from tests.sales.open_classes import expire, hold, publish
from tests.sales.transfers import START, announce, book, is_given_back, take_transfers

pytestmark = pytest.mark.concurrency


@pytest.fixture(autouse=True)
def _rules(google, teacher, mercadopago):
    take_transfers()


def announce_place(place):
    return announce_transfer(user=place.person, purchase=place, operation_number="12345678")


def race_two_ways(payment, transfer, mercadopago, teacher):
    """Settle a paid payment while the teacher confirms a transfer, and finish both."""
    mercadopago.pay(payment.preference_id)
    confirm = partial(confirm_transfer, transfer_id=transfer.pk, actor=teacher)
    race(partial(settle, payment.preference_id), confirm)
    settle(payment.preference_id)  # the sweep finishes what a collision cut short
    confirm()
    transfer.refresh_from_db()
    payment.refresh_from_db()


def book_both():
    """Book one time twice, as JS clients may; one is paid online, the other by transfer."""
    payment = make_payment(UserFactory())
    online = payment.purchase.virtual_class
    waiting = VirtualClassFactory(
        booked_by=UserFactory(),
        start_time=online.start_time,
        end_time=online.end_time,
        preference_id="manual-1",
        has_preference=False,
        max_participants=1,
    )
    return payment, online, announce(waiting)


def test_a_time_is_won_once(mercadopago, teacher):
    payment, online, transfer = book_both()

    race_two_ways(payment, transfer, mercadopago, teacher)

    online.refresh_from_db()
    transfer = BankTransfer.objects.with_purchases().get()
    waiting = transfer.purchase.virtual_class
    winners = [one for one in (online, waiting) if one.is_scheduled]
    assert len(winners) == 1
    loser = waiting if winners == [online] else online
    assert loser.status == ClassStatus.CANCELLED
    # The loser's money goes back in its own way, once.
    [refund] = Refund.objects.all()
    assert refund.is_by_hand == is_given_back(transfer) == (loser == waiting)


def open_place(teacher):
    """An open class with one place."""
    return publish(teacher, places=1, minimum=1)


def hold_both(teacher):
    """Two places of an open class with one place: the time to pay the first is over."""
    open_class = open_place(teacher)
    first = hold(open_class)
    expire(first)
    return first, hold(open_class)


def test_the_last_place_is_won_once(mercadopago, teacher):
    online, by_transfer = hold_both(teacher)
    transfer = announce_place(by_transfer)
    expire(by_transfer)

    race_two_ways(online.payment, transfer, mercadopago, teacher)

    booked = online.booked_class
    winner = booked.purchases.get(state=PurchaseState.PAID)
    inside = UserActivity.objects.exclude(user=teacher).get(virtual_class=booked)
    assert inside.user == winner.person
    [refund] = Refund.objects.filter(purchase__virtual_class=booked)
    assert refund.purchase == (by_transfer if winner == online else online)
    assert refund.amount == online.price
    assert refund.is_by_hand == is_given_back(transfer) == (winner == online)


def pay_class_in_two_ways(teacher):
    payment = make_payment(UserFactory())
    return payment, announce(payment.purchase.virtual_class)


def pay_place_in_two_ways(teacher):
    place = hold(open_place(teacher))
    return place.payment, announce_place(place)


@pytest.mark.parametrize("both_ways", [pay_class_in_two_ways, pay_place_in_two_ways])
def test_two_ways_of_paying_at_once_pay_once(both_ways, mercadopago, teacher):
    payment, transfer = both_ways(teacher)

    race_two_ways(payment, transfer, mercadopago, teacher)

    assert Purchase.objects.get(pk=payment.purchase_id).state == PurchaseState.PAID
    assert transfer.purchase.booked_class.is_scheduled
    assert not Refund.objects.filter(charge__payment=payment).exists()
    paid_online = payment.approved_at is not None
    assert is_given_back(transfer) == paid_online
    assert (payment.review == ReviewReason.PAID_TWICE) == (not paid_online)


def confirm_as_seen_before(transfer, monkeypatch):
    """Let a confirmation go on from what is stored now."""
    seen = BankTransfer.objects.with_purchases().get(pk=transfer.pk)
    monkeypatch.setattr(transfers, "lock_purchase", lambda purchase_id: seen.purchase)


def test_without_the_class_lock_both_would_pay_it(mercadopago, teacher, monkeypatch):
    """What the lock prevents: a confirmation that saw the class before its payment was settled."""
    payment = make_payment(UserFactory())
    transfer = announce(payment.purchase.virtual_class)
    mercadopago.pay(payment.preference_id)
    confirm_as_seen_before(transfer, monkeypatch)
    settle(payment.preference_id)

    confirm_transfer(transfer_id=transfer.pk, actor=teacher, fresh_sign_in=True)

    assert not is_given_back(BankTransfer.objects.get())
    assert Payment.objects.get().approved_at is not None


def test_without_the_class_lock_the_database_refuses_the_last_place_twice(
    mercadopago, teacher, monkeypatch
):
    """A confirmation that saw the place free before it was paid online writes nothing."""
    online, by_transfer = hold_both(teacher)
    transfer = announce_place(by_transfer)
    expire(by_transfer)
    mercadopago.pay(online.payment.preference_id)
    confirm_as_seen_before(transfer, monkeypatch)
    settle(online.payment.preference_id)

    with pytest.raises(IntegrityError):
        confirm_transfer(transfer_id=transfer.pk, actor=teacher, fresh_sign_in=True)

    assert Purchase.objects.get(state=PurchaseState.PAID) == online
    assert BankTransfer.objects.get().state == TransferState.ANNOUNCED


def test_two_tabs_keep_one_time(mercadopago):
    """A student whom nobody knows yet chooses a transfer for two booked classes at once."""
    host = UserFactory()
    booked = [
        book(host, start=START + timedelta(days=days), way=PayWay.ONLINE) for days in range(2)
    ]

    race(*[partial(choose_transfer, user=host, purchase=one.purchase) for one in booked])

    assert Purchase.objects.filter(kept_for=MoneyWay.TRANSFER).count() == 1


def test_a_double_tap_announces_once(mercadopago):
    booked = book(UserFactory())

    race(partial(announce, booked), partial(announce, booked))

    assert BankTransfer.objects.count() == 1


def test_a_double_tap_confirms_once(mercadopago, teacher):
    transfer = announce(book(UserFactory()))
    confirm = partial(confirm_transfer, transfer_id=transfer.pk, actor=teacher)

    race(confirm, confirm)

    assert VirtualClass.objects.get().log.filter(event="transfer_confirmed").count() == 1
