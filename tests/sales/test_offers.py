"""Offers above the price list: what they cost, who may book them, and how often."""

from datetime import timedelta

import pytest
from django.utils import timezone

from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.exceptions import NoPriceError, OfferUsedError, PriceChangedError
from bookings.domain.money.prices import (
    Quote,
    find_price,
    find_used_offers,
    judge_price,
    list_class_options,
    list_current_prices,
    list_prices_by_students,
)
from bookings.domain.sales import holds
from bookings.domain.sales.checkout import check_out_hold, price_hold
from bookings.domain.sales.holds import hold_slot
from bookings.domain.sales.settling import settle
from bookings.models import (
    ClassStatus,
    ClassType,
    Hold,
    Payment,
    PriceDecision,
    Purchase,
    TransferState,
    VirtualClass,
)
from tests.factories import BankTransferFactory, HoldFactory, VirtualClassFactory
from tests.pages.moments import NOW, tuesday
from tests.sales.offers import make_group_offer, make_offer, make_trial

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("agenda")]


def keep(user, offer, clock="10:00", minutes=30):
    return hold_slot(
        user=user,
        start=tuesday(clock),
        minutes=minutes,
        class_type=ClassType(offer.class_type),
        offer=offer,
    )


def book(user, offer, clock="10:00", minutes=30, **details):
    hold = HoldFactory(
        user=user,
        offer=offer,
        start_time=tuesday(clock),
        end_time=tuesday(clock) + timedelta(minutes=minutes),
        class_type=offer.class_type,
        expires_at=NOW + timedelta(minutes=15),
    )
    return check_out_hold(user=user, hold_id=hold.pk, students_count=1, **details)


# --- Prices ---------------------------------------------------------------------------------------


def test_the_plain_list_comes_first_then_the_offers_in_their_order():
    make_trial(position=1)
    make_offer({90: 2_500_000, 60: 1_800_000}, position=0)

    options = list_class_options()

    assert [(str(one.label), one.minutes, one.lowest_amount) for one in options] == [
        ("Individual", 30, 900_000),
        ("Individual", 60, 1_500_000),
        ("Grupal", 60, 2_400_000),
        ("Preparación de examen", 60, 1_800_000),
        ("Preparación de examen", 90, 2_500_000),
        ("Clase de prueba", 30, 0),
    ]


@pytest.mark.parametrize(
    ("state", "key", "found"),
    [
        ({}, "", True),
        ({"is_listed": False}, "", False),
        ({"is_listed": False}, "x\x00", False),
        ({"is_listed": False}, "examen234567", True),
        ({"is_active": False}, "examen234567", False),
        ({"is_listed": False, "is_active": False}, "examen234567", False),
    ],
    ids=["listed", "unlisted", "wrong key", "its key", "not sold", "unlisted and not sold"],
)
def test_an_unlisted_offer_needs_its_key_and_one_not_sold_is_for_nobody(state, key, found):
    offer = make_offer(**state)

    assert (offer in [one.offer for one in list_class_options(key=key)]) is found


def test_an_offer_has_a_list_of_its_own():
    offer = make_offer({60: 1_800_000})
    group = make_group_offer(key="grupo2345678")
    hour = {"class_type": ClassType.INDIVIDUAL, "minutes": 60}

    assert find_price(**hour, students=1) == 1_500_000
    assert find_price(**hour, students=1, offer=offer) == 1_800_000
    assert list_prices_by_students(class_type=ClassType.GROUP, minutes=60, offer=group) == {
        **dict.fromkeys([2, 3], 2_400_000),
        **dict.fromkeys([4, 5, 6], 4_200_000),
    }
    assert [one.offer for one in list_current_prices()] == [None] * 4 + [offer, group, group]
    with pytest.raises(NoPriceError):
        find_price(class_type=ClassType.INDIVIDUAL, minutes=30, students=1, offer=offer)


def test_an_offer_changes_no_judgement_of_a_foreign_price():
    start = tuesday("10:00")
    quote = Quote(start, start + timedelta(minutes=90), False, 1, price=5_000)
    free = Quote(start, start + timedelta(minutes=30), False, 1, price=900_000)
    make_offer({90: 2_500_000})
    make_trial()

    assert judge_price(quote) == PriceDecision.WAITING
    assert judge_price(free) == PriceDecision.NONE


# --- Booking --------------------------------------------------------------------------------------


def test_hold_class_and_payment_keep_the_offer_and_its_price(host, mercadopago):
    offer = make_offer({60: 1_800_000})

    booked = book(host, offer, minutes=60, seen=1_800_000)

    [preference] = mercadopago.preferences
    assert (booked.offer, booked.purchase.hold.offer, booked.class_price) == (
        offer,
        offer,
        1_800_000,
    )
    assert preference["items"][0]["unit_price"] == 18_000
    assert Payment.objects.get().amount == 1_800_000


def test_a_price_that_was_not_seen_books_nothing(host, mercadopago):
    offer = make_offer({60: 1_800_000})
    hold = keep(host, offer, minutes=60)
    offer.prices.update(amount=1_900_000)

    with pytest.raises(PriceChangedError):
        check_out_hold(user=host, hold_id=hold.pk, students_count=1, seen=1_800_000)

    assert mercadopago.preferences == []
    assert not VirtualClass.objects.exists()
    assert price_hold(hold, students_count=1, seen=1_900_000)


def test_a_free_class_is_scheduled_at_once(host, mercadopago):
    booked = book(host, make_trial(), seen=0)

    assert mercadopago.preferences == []
    assert (booked.status, booked.class_price) == (ClassStatus.SCHEDULED, 0)


def test_an_offer_that_is_no_longer_sold_ends_its_holds(host):
    offer = make_offer()
    hold = keep(host, offer, minutes=60)
    offer.is_active = False
    offer.save()

    with pytest.raises(NoPriceError):
        check_out_hold(user=host, hold_id=hold.pk, students_count=1)


# --- Once per person ------------------------------------------------------------------------------


def test_a_second_trial_class_is_refused_and_nothing_is_kept(host, student):
    trial = make_trial()
    book(host, trial)

    with pytest.raises(OfferUsedError):
        keep(host, trial, "11:00")

    assert not Hold.objects.filter(purchase__virtual_class=None).exists()
    assert keep(student, trial, "11:00")


def test_a_time_that_was_chosen_before_the_first_was_booked_is_refused(host, monkeypatch):
    trial = make_trial()
    book(host, trial)
    with monkeypatch.context() as patch:  # as if the check had come before the first booking
        patch.setattr(holds, "refuse_second_use", lambda user, offer: None)
        hold = keep(host, trial, "11:00")

    with pytest.raises(OfferUsedError):
        check_out_hold(user=host, hold_id=hold.pk, students_count=1)

    assert VirtualClass.objects.count() == 1


def test_another_offer_may_be_booked_again(host):
    offer = make_offer({60: 1_800_000})
    book(host, offer, "10:00", 60)

    assert book(host, offer, "19:00", 60)


def test_a_cancelled_class_gives_the_right_back(host, teacher):
    trial = make_trial()
    cancel_class(class_id=book(host, trial).pk, actor=teacher)

    assert find_used_offers(host, list_class_options()) == set()
    assert book(host, trial, "11:00")


def test_an_unpaid_class_counts_until_its_time_is_no_longer_kept(host, mercadopago):
    trial = make_trial(key="prueba222222")
    trial.prices.update(amount=500_000)
    booked = book(host, trial)
    options = list_class_options()
    during = find_used_offers(host, options)

    Purchase.objects.update(kept_until=timezone.now() - timedelta(seconds=1))
    lapsed = find_used_offers(host, options)
    Purchase.objects.update(kept_until=timezone.now() + timedelta(hours=20))  # a transfer waits
    waiting = find_used_offers(host, options)

    assert [during, lapsed, waiting] == [{trial.pk}, set(), {trial.pk}]
    mercadopago.pay(booked.preference_id)
    settle(booked.preference_id)
    Hold.objects.all().delete()
    assert find_used_offers(host, options) == {trial.pk}


def test_a_class_whose_transfer_is_awaited_counts(host):
    trial = make_trial()
    trial.prices.update(amount=500_000)
    booked = book(host, trial)
    transfer = BankTransferFactory(purchase=booked.purchase)
    Purchase.objects.update(kept_until=timezone.now())

    with pytest.raises(OfferUsedError):
        keep(host, trial, "11:00")

    transfer.state = TransferState.REFUSED
    transfer.save()
    assert keep(host, trial, "11:00")


def test_a_class_that_was_given_counts(host):
    trial = make_trial()
    VirtualClassFactory(
        booked_by=host,
        offer=trial,
        status=ClassStatus.COMPLETED,
        start_time=NOW - timedelta(days=30),
        paid_at=NOW - timedelta(days=31),
    )

    assert find_used_offers(host, list_class_options()) == {trial.pk}


def test_without_an_offer_for_once_nothing_is_asked(host, django_assert_num_queries):
    make_offer()
    options = list_class_options()

    with django_assert_num_queries(0):
        assert find_used_offers(host, options) == set()


def test_a_hold_of_the_plain_list_has_no_offer(host):
    hold = HoldFactory(
        user=host,
        start_time=tuesday("10:00"),
        end_time=tuesday("11:00"),
        class_type=ClassType.INDIVIDUAL,
        expires_at=NOW + timedelta(minutes=5),
    )

    booked = check_out_hold(user=host, hold_id=hold.pk, students_count=1)

    assert (booked.offer, booked.class_price) == (None, 1_500_000)
