"""What lists share: texts, badges, filters and timelines.

Templates load its filters as ``{% load panel %}``.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from django import template
from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from bookings.models import ClassStatus, OpenClass, Purchase, VirtualClass, find_open_class
from bookings.money_state import Money, describe_money
from bookings.templatetags.class_times import clock, pesos, short_day

register = template.Library()


def day_and_time(moment: datetime) -> str:
    """Write ``mar 24 nov · 18:30``."""
    return f"{short_day(moment)} · {clock(moment)}"


def day_at(moment: datetime) -> str:
    """Write ``mar 24 nov, 18:30``, for sentences."""
    return f"{short_day(moment)}, {clock(moment)}"


def make_badge(look: str, text: str) -> SafeString:
    """look: the class's state whose colour it has."""
    return format_html('<span class="badge badge-{}">{}</span>', look, text)


def class_link(virtual_class: VirtualClass | None, *, missing: str) -> str:
    if virtual_class is None:
        return missing
    address = reverse("admin:class_sheet", args=[virtual_class.pk])
    return format_html('<a href="{}">{}</a>', address, day_and_time(virtual_class.start_time))


class PurchaseColumns:
    """For admins of rows with an ``amount`` and a ``purchase``."""

    @admin.display(description="de quién", ordering="purchase__person__name")
    def person(self, obj: Any) -> str:
        return str(obj.purchase.person)

    @admin.display(description="monto", ordering="amount")
    def sum(self, obj: Any) -> str:
        return pesos(obj.amount)

    @admin.display(description="clase")
    def of_class(self, obj: Any) -> str:
        return class_link(obj.purchase.virtual_class, missing="Sin reserva")


@dataclass(frozen=True, slots=True)
class Entry:
    """kind: for its colour."""

    at: datetime
    kind: str
    text: str
    details: str = ""


class OptionFilter(admin.SimpleListFilter):
    """options: text and narrowing function of each value.

    usual, narrow_usual: text and rows of the list before anything is chosen.
    """

    options: ClassVar[dict[str, tuple[str, Callable[[QuerySet[Any]], QuerySet[Any]]]]]
    usual: ClassVar[str] = ""

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(value, text) for value, (text, _) in self.options.items()]

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        first, *others = super().choices(changelist)
        yield {**first, "display": self.usual or first["display"]}
        yield from others

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        _, narrow = self.options.get(self.value() or "", ("", self.narrow_usual))
        return narrow(queryset)

    def narrow_usual(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset


class UpcomingFilter(OptionFilter):
    """Hides past days at first. last_day: a field's name."""

    title, parameter_name, usual = "fecha", "cuando", "Próximos"
    options = {"todos": ("También los pasados", lambda rows: rows)}
    last_day: str

    def narrow_usual(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(**{f"{self.last_day}__gte": timezone.localdate()})


@register.filter("money")
def describe(purchase: Purchase | None) -> Money | None:
    """None for a class that the teacher published. Prefetch ``with_money`` for lists."""
    return describe_money(purchase, timezone.now()) if purchase else None


@register.filter
def money_badge(purchase: Purchase | None) -> str:
    money = describe(purchase)
    return make_badge(money.state.look, money.report) if money else "—"


@register.filter
def class_name(virtual_class: VirtualClass) -> str:
    """The person who booked it, or the title of an open class, which the teacher hosts."""
    return str(find_open_class(virtual_class) or virtual_class.booked_by)


@register.filter
def class_size(virtual_class: VirtualClass) -> str:
    """``2 de 6``; empty for a class of one person. The teacher's own place does not count."""
    if open_class := find_open_class(virtual_class):
        return f"{virtual_class.guest_count} de {open_class.places}"
    people, capacity = max(virtual_class.current_participants, 1), virtual_class.capacity
    return f"{people} de {capacity}" if capacity > 1 else ""


@register.filter
def class_kind(virtual_class: VirtualClass) -> str:
    """``Grupal, 2 de 5``, or ``2 de 6 · $ 8.000 por lugar`` of an open class."""
    size = class_size(virtual_class)
    if open_class := find_open_class(virtual_class):
        return f"{size} · {place_cost(open_class)}"
    return ", ".join(filter(None, (virtual_class.kind_label, size)))


@register.filter
def place_cost(open_class: OpenClass) -> str:
    return f"{pesos(open_class.place_price)} por lugar" if open_class.place_price else "gratis"


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


@register.filter
def place(rows: range) -> str:
    """Name the CSS classes that put a block of the week into its column of quarter hours."""
    (hour, quarter), (hours, quarters) = divmod(rows.start, 4), divmod(len(rows), 4)
    return f"placed hour-{hour} quarter-{quarter} hours-{hours} quarters-{quarters}"


def _find_awaited(virtual_class: VirtualClass) -> Money | None:
    is_pending = virtual_class.status == ClassStatus.PENDING
    return describe(virtual_class.purchase) if is_pending else None
