"""Filters of several lists."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from bookings.domain.places.waiting_queries import list_open_offers
from bookings.domain.queries import list_awaiting_payment, list_undecided
from bookings.models import CalendarDrift, ClassStatus, Purchase, VirtualClass


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


def list_by_payment(classes: QuerySet[VirtualClass], *, paid: bool) -> QuerySet[VirtualClass]:
    """Keep the classes whose own sale is paid, or is not; none that the teacher published."""
    sales = Purchase.objects.classes().filter(virtual_class=OuterRef("pk"))
    return classes.filter(Exists(sales.filter(paid_at__isnull=not paid)))


class PaidFilter(OptionFilter):
    title = parameter_name = "pagada"
    options = {
        "si": ("Sí", partial(list_by_payment, paid=True)),
        "no": ("No", partial(list_by_payment, paid=False)),
        "espera": ("Por pagar", list_awaiting_payment),
    }


def list_drifted(classes: QuerySet[VirtualClass]) -> QuerySet[VirtualClass]:
    drifted = classes.filter(status=ClassStatus.SCHEDULED, end_time__gt=timezone.now())
    return drifted.exclude(calendar_drift=CalendarDrift.NONE)


class DriftFilter(OptionFilter):
    title = parameter_name = "calendario"
    options = {"distinto": ("Dice otra cosa", list_drifted)}


class PriceDecisionFilter(OptionFilter):
    title = "fuera de la lista"
    parameter_name = "precio"
    options = {"decidir": ("Espera tu sí", list_undecided)}


def list_with_open_offer(classes: QuerySet[VirtualClass]) -> QuerySet[VirtualClass]:
    return classes.filter(pk__in=list_open_offers(timezone.now()).values("virtual_class"))


class OfferFilter(OptionFilter):
    title = "lista de espera"
    parameter_name = "espera"
    options = {"ofrecido": ("Un lugar sin respuesta", list_with_open_offer)}
