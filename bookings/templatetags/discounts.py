"""The discount of a code, and of a class or seat."""

from django import template
from django.utils.translation import gettext

from bookings.models import DiscountCode, Seat, VirtualClass
from bookings.templatetags.class_times import pesos

register = template.Library()


@register.filter
def off(code: DiscountCode) -> str:
    """``10 %`` or ``$ 2.000``."""
    return f"{code.percent}\u00a0%" if code.percent is not None else pesos(code.amount or 0)


@register.filter
def discount_line(row: VirtualClass | Seat) -> str:
    """``$ 1.500 menos con AMIGOS``; empty without a discount."""
    if not row.discount:
        return ""
    if row.discount_code is None:
        return gettext("%(amount)s menos") % {"amount": pesos(row.discount)}
    values = {"amount": pesos(row.discount), "code": row.discount_code.code}
    return gettext("%(amount)s menos con %(code)s") % values
