"""Filters of several lists."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from bookings.domain.queries import list_undecided
from bookings.models import CalendarDrift, ClassStatus, VirtualClass

if TYPE_CHECKING:
    from django.contrib.admin.filters import _ListFilterChoices


class UpcomingFilter(admin.SimpleListFilter):
    """Hide past days unless the teacher asks for them. last_day: a field's name."""

    title = "fecha"
    parameter_name = "cuando"
    last_day: str

    def lookups(
        self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]
    ) -> list[tuple[str, str]]:
        return [("todos", "También los pasados")]

    def choices(self, changelist: ChangeList) -> Iterator["_ListFilterChoices"]:
        usual, *others = super().choices(changelist)
        yield {**usual, "display": "Próximos"}
        yield from others

    def queryset(self, request: HttpRequest, queryset: QuerySet[Model]) -> QuerySet[Model]:
        if self.value():
            return queryset
        return queryset.filter(**{f"{self.last_day}__gte": timezone.localdate()})


class OptionFilter(admin.SimpleListFilter):
    """A filter by options. options: text and narrowing function of each value."""

    options: ClassVar[dict[str, tuple[str, Callable[[QuerySet[Any]], QuerySet[Any]]]]]

    def lookups(
        self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]
    ) -> list[tuple[str, str]]:
        return [(value, text) for value, (text, _) in self.options.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        _, narrow = self.options.get(self.value() or "", ("", None))
        return narrow(queryset) if narrow else queryset


class PaidFilter(OptionFilter):
    title = parameter_name = "pagada"
    options = {
        "si": ("Sí", lambda classes: classes.filter(paid_at__isnull=False)),
        "no": ("No", lambda classes: classes.filter(paid_at__isnull=True)),
    }


def list_drifted(classes: QuerySet[VirtualClass]) -> QuerySet[VirtualClass]:
    """Keep the classes ahead whose calendar event differs."""
    drifted = classes.filter(status=ClassStatus.SCHEDULED, end_time__gt=timezone.now())
    return drifted.exclude(calendar_drift=CalendarDrift.NONE)


class DriftFilter(OptionFilter):
    title = parameter_name = "calendario"
    options = {"distinto": ("Dice otra cosa", list_drifted)}


class PriceDecisionFilter(OptionFilter):
    title = "fuera de la lista"
    parameter_name = "precio"
    options = {"decidir": ("Espera tu sí", list_undecided)}
