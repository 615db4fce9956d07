"""Filters that several lists share."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone

if TYPE_CHECKING:
    from django.contrib.admin.filters import _ListFilterChoices


class UpcomingFilter(admin.SimpleListFilter):
    """Leave out days that are over, unless they are asked for. last_day: a field's name."""

    title = "fecha"
    parameter_name = "cuando"
    last_day: str

    def lookups(
        self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]
    ) -> list[tuple[str, str]]:
        """Offer the past as well."""
        return [("todos", "También los pasados")]

    def choices(self, changelist: ChangeList) -> Iterator["_ListFilterChoices"]:
        """Call the usual choice by what it shows."""
        usual, *others = super().choices(changelist)
        yield {**usual, "display": "Próximos"}
        yield from others

    def queryset(self, request: HttpRequest, queryset: QuerySet[Model]) -> QuerySet[Model]:
        """Filter by the day that the row ends."""
        if self.value():
            return queryset
        return queryset.filter(**{f"{self.last_day}__gte": timezone.localdate()})
