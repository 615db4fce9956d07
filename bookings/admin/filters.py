"""Filters that several lists share."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

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
    """Hide days that are over, unless the teacher asks for them. last_day: a field's name."""

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


class PaidFilter(admin.SimpleListFilter):
    title = "pagada"
    parameter_name = "pagada"

    def lookups(
        self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]
    ) -> list[tuple[str, str]]:
        return [("si", "Sí"), ("no", "No")]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[VirtualClass]
    ) -> QuerySet[VirtualClass]:
        is_unpaid = {"si": False, "no": True}.get(self.value() or "")
        return queryset if is_unpaid is None else queryset.filter(paid_at__isnull=is_unpaid)


class DriftFilter(admin.SimpleListFilter):
    """Classes whose calendar event differs."""

    title = "calendario"
    parameter_name = "calendario"

    def lookups(
        self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]
    ) -> list[tuple[str, str]]:
        return [("distinto", "Dice otra cosa")]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[VirtualClass]
    ) -> QuerySet[VirtualClass]:
        return list_drifted(queryset) if self.value() else queryset


def list_drifted(classes: QuerySet[VirtualClass]) -> QuerySet[VirtualClass]:
    """Keep the scheduled classes ahead whose calendar event differs."""
    drifted = classes.filter(status=ClassStatus.SCHEDULED, end_time__gt=timezone.now())
    return drifted.exclude(calendar_drift=CalendarDrift.NONE)


class PriceDecisionFilter(admin.SimpleListFilter):
    """Classes whose price the teacher has to accept."""

    title = "fuera de la lista"
    parameter_name = "precio"

    def lookups(
        self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]
    ) -> list[tuple[str, str]]:
        return [("decidir", "Espera tu sí")]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[VirtualClass]
    ) -> QuerySet[VirtualClass]:
        return list_undecided(queryset) if self.value() else queryset
