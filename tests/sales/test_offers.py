"""Offers above the price list: what they cost, who may book them, and how often."""

from datetime import timedelta

import pytest
from django.utils import timezone

from bookings.domain.exceptions import NoPriceError, OfferUsedError
from bookings.domain.money.prices import (
    find_price,
    find_used_offers,
    list_class_options,
    list_current_prices,
    list_prices_by_students,
)
from bookings.domain.sales import holds
from bookings.domain.sales.checkout import check_out_hold
from bookings.domain.sales.holds import hold_slot
from bookings.domain.sales.settling import settle
from bookings.models import ClassType, Hold, Payment, Purchase, VirtualClass
from tests.factories import HoldFactory
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


START = tuesday("10:00")


def wish(minutes=60, **changes):
    end = START + timedelta(minutes=minutes)
    return {
        "start": START.isoformat(),
        "end": end.isoformat(),
        "isGroupClass": False,
        "studentsCount": 1,
        **changes,
    }


def post(client, path, body):
    return client.post(path, body, content_type="application/json")


def book_by_api(client, price, minutes=60):
    booking = {"preferenceId": f"foreign-{price}", "price": price, "text": ""}
    return post(client, "/api/booking", wish(minutes, **booking))


def test_a_preference_costs_what_the_plain_list_says(host, sign_in, mercadopago):
    make_offer({60: 100, 90: 200})
    client = sign_in(host)

    hour = post(client, "/api/payments/preference", wish())
    longer = post(client, "/api/payments/preference", wish(90))

    [preference] = mercadopago.preferences
    assert hour.status_code == 200
    assert preference["items"][0]["unit_price"] == 15_000
    assert longer.status_code == 400


def test_a_booking_is_judged_by_the_plain_list(host, sign_in, mercadopago):
    make_offer({60: 100})
    client = sign_in(host)

    cheap, right = book_by_api(client, 100), book_by_api(client, 1_500_000)

    assert (cheap.status_code, right.status_code) == (400, 200)
    assert VirtualClass.objects.get().offer is None
