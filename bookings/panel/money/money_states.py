"""The state of money, as templates of the panel name it: ``{% load money_states %}``."""

from django import template
from django.utils import timezone

from bookings.models import ClassStatus, Purchase, VirtualClass
from bookings.money_state import Money, describe_money
from bookings.panel.lists import make_badge

register = template.Library()


@register.filter("money")
def describe(purchase: Purchase | None) -> Money | None:
    """None for a class that the teacher published. Prefetch ``with_money`` for lists."""
    return describe_money(purchase, timezone.now()) if purchase else None


@register.filter
def money_badge(purchase: Purchase | None) -> str:
    money = describe(purchase)
    return make_badge(money.state.look, money.report) if money else "—"


@register.filter
def class_state(virtual_class: VirtualClass) -> str:
    """What the class waits for, or its state. Prefetch ``with_class_money`` for lists."""
    money = _find_awaited(virtual_class)
    return money.report if money else str(virtual_class.get_status_display())


@register.filter
def class_badge(virtual_class: VirtualClass) -> str:
    """The state whose colour it has."""
    money = _find_awaited(virtual_class)
    return money.state.look if money else virtual_class.status


def _find_awaited(virtual_class: VirtualClass) -> Money | None:
    is_pending = virtual_class.status == ClassStatus.PENDING
    return describe(virtual_class.purchase) if is_pending else None
