"""The discount of a code, and of a purchase."""

from django import template
from django.utils.translation import gettext

from bookings.models import DiscountCode, Purchase
from bookings.templatetags.class_times import pesos

register = template.Library()


@register.filter
def off(code: DiscountCode) -> str:
    """``10 %`` or ``$ 2.000``."""
    return f"{code.percent}\u00a0%" if code.percent is not None else pesos(code.amount or 0)


@register.filter
def discount_line(purchase: Purchase | None) -> str:
    """``$ 1.500 menos con AMIGOS``; empty without a discount."""
    if purchase is None or not purchase.discount:
        return ""
    if purchase.discount_code is None:
        return gettext("%(amount)s menos") % {"amount": pesos(purchase.discount)}
    values = {"amount": pesos(purchase.discount), "code": purchase.discount_code.code}
    return gettext("%(amount)s menos con %(code)s") % values
