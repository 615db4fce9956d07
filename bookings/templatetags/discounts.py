"""How much a discount code takes off."""

from django import template

from bookings.models import DiscountCode
from bookings.templatetags.class_times import pesos

register = template.Library()


@register.filter
def off(code: DiscountCode) -> str:
    """Write ``10 %`` or ``$ 2.000``."""
    return f"{code.percent}\u00a0%" if code.percent is not None else pesos(code.amount or 0)
