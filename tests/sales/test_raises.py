"""A raise of all prices: what it proposes, and what it leaves alone."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from bookings.domain.exceptions import BookingError
from bookings.domain.money.prices import (
    change_prices,
    foresee_raise,
    list_price_lines,
    raise_amount,
)
from bookings.models import ClassType, Offer, Price

pytestmark = pytest.mark.django_db


def days_ahead(days):
    return timezone.localdate() + timedelta(days=days)


def price(**fields):
    usual = {"class_type": ClassType.INDIVIDUAL, "minutes": 60, "valid_from": days_ahead(-30)}
    return Price.objects.create(**{**usual, "amount": 1_500_000, **fields})


def foresee(percent="10", day=None):
    day = day or days_ahead(10)
    return foresee_raise(percent=Decimal(percent), unit=50_000, day=day)


@pytest.mark.parametrize(
    ("amount", "percent", "unit", "raised"),
    [
        (1_500_000, "10", 10_000, 1_650_000),
        (1_500_000, "12.5", 50_000, 1_700_000),
        (1_500_000, "2.7", 10_000, 1_540_000),
        (850_000, "5", 10_000, 890_000),
        (850_000, "10", 100_000, 900_000),
        (830_000, "1", 100_000, 830_000),
        (0, "50", 10_000, 0),
    ],
    ids=["exact", "to 500", "of a month", "to 100", "to 1000", "never lower", "free"],
)
def test_a_raised_amount_is_rounded_to_the_nearest_unit(amount, percent, unit, raised):
    assert raise_amount(amount, percent=Decimal(percent), unit=unit) == raised


def test_a_raise_covers_the_list_and_offers_on_sale_and_stores_nothing():
    plain = price()
    offers = [
        Offer.objects.create(name=name, class_type=ClassType.INDIVIDUAL, is_active=is_active)
        for name, is_active in (("Examen", True), ("Vieja", False))
    ]
    special, _ = (price(offer=offer, amount=2_000_000) for offer in offers)
    price(minutes=30, amount=0)

    raised = foresee()

    assert raised == {plain.pk: 1_650_000, special.pk: 2_200_000}
    assert Price.objects.count() == 4


def test_a_raise_of_the_same_day_again_begins_at_the_price_of_the_day_before():
    plain = price()
    change_prices(amounts=foresee(), day=days_ahead(10))

    assert foresee("20") == {plain.pk: 1_800_000}


def test_a_raise_begins_at_the_price_planned_before_its_day():
    plain = price()
    price(valid_from=days_ahead(5), amount=2_000_000)

    assert foresee() == {plain.pk: 2_200_000}


def test_a_raise_leaves_out_what_ends_before_its_day_and_keeps_a_later_end():
    price(minutes=30, valid_until=days_ahead(9))
    later = price(valid_until=days_ahead(20))

    change_prices(amounts=foresee(), day=days_ahead(10))

    raised = Price.objects.get(valid_from=days_ahead(10))
    assert (raised.minutes, raised.valid_until) == (60, later.valid_until)


def test_a_raise_begins_at_what_holds_after_a_promotion_that_ends_before_its_day():
    price(amount=1_000_000)
    promotion = price(amount=800_000, valid_from=days_ahead(-1), valid_until=days_ahead(9))

    raised = foresee()
    change_prices(amounts=raised, day=days_ahead(10))

    assert raised == {promotion.pk: 1_100_000}
    assert Price.objects.get(valid_from=days_ahead(10)).valid_until is None


def test_a_limited_price_names_what_holds_after_it():
    plain = price(amount=1_000_000)
    price(amount=800_000, valid_from=days_ahead(-1), valid_until=days_ahead(20))

    [line] = list_price_lines()
    assert line.after == plain

    price(valid_from=days_ahead(21))
    assert list_price_lines()[0].after is None


def test_a_raise_from_today_is_refused():
    price()

    with pytest.raises(BookingError):
        foresee(day=days_ahead(0))
