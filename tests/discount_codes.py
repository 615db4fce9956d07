"""Discount codes, and what a purchase stores of one."""

import factory
from factory.django import DjangoModelFactory

from bookings.domain.money.discounts import Discount
from bookings.models.sales.discount_code import DiscountCode


class DiscountCodeFactory(DjangoModelFactory[DiscountCode]):
    """Ten percent off, without limits but once per person."""

    class Meta:
        model = DiscountCode

    code = factory.Sequence(lambda n: f"CODE{n}")
    percent = factory.LazyAttribute(lambda o: None if o.amount else 10)
    amount = None


def less(code, amount):
    """Return the fields of a purchase that ``code`` made cheaper by ``amount`` centavos."""
    return Discount(code, amount).fields
