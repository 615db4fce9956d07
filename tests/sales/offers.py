"""Offers for tests."""

from datetime import date
from typing import Any

from bookings.models import ClassType, Offer, Price

KEY = "examen234567"


def make_offer(prices: dict[int, int] | None = None, **changes: Any) -> Offer:
    """Make an offer. prices: centavos by minutes, for a class of one; since January."""
    offer = Offer.objects.create(**{"name": "Preparación de examen", "key": KEY} | changes)
    for minutes, amount in ({60: 1_800_000} if prices is None else prices).items():
        add_price(offer, minutes, 1, amount)
    return offer


def make_trial(**changes: Any) -> Offer:
    """Make a trial class: half an hour, free, once per person."""
    named = {"name": "Clase de prueba", "key": "prueba234567", "once_per_person": True}
    return make_offer({30: 0}, **named | changes)


def make_group_offer(**changes: Any) -> Offer:
    """Make an offer for a group of an hour: up to three, and up to six."""
    offer = make_offer({}, class_type=ClassType.GROUP, **changes)
    add_price(offer, 60, 3, 2_400_000)
    add_price(offer, 60, 6, 4_200_000)
    return offer


def add_price(offer: Offer, minutes: int, students: int, amount: int, **changes: Any) -> Price:
    since = {"valid_from": date(2026, 1, 1)}
    return offer.prices.create(
        class_type=offer.class_type,
        minutes=minutes,
        students_up_to=students,
        amount=amount,
        **since | changes,
    )
