"""The last time, or place, by transfer against the last by Mercado Pago: one of the two has it."""

from functools import partial

import pytest

from bookings.domain.sales import transfers
from bookings.domain.sales.settling import settle
from bookings.domain.sales.transfers import announce_transfer, confirm_transfer
from bookings.models import (
    BankTransfer,
    ClassStatus,
    Payment,
    Purchase,
    PurchaseState,
    Refund,
    ReviewReason,
    VirtualClass,
)
from tests.concurrency.racing import race
from tests.factories import UserFactory, VirtualClassFactory
from tests.payments import make_payment
from tests.sales.open_classes import hold, publish
from tests.sales.transfers import announce, book, is_given_back, take_transfers

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
    return publish(teacher, places=1, minimum=1)


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


def test_a_double_tap_confirms_once(mercadopago, teacher):
    transfer = announce(book(UserFactory()))
    confirm = partial(confirm_transfer, transfer_id=transfer.pk, actor=teacher)

    race(confirm, confirm)

    assert VirtualClass.objects.get().log.filter(event="transfer_confirmed").count() == 1
