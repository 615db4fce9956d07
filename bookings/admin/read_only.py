"""Rows that only the domain writes."""

from typing import Any

from django.http import HttpRequest


class FixedRowsMixin:
    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    has_delete_permission = has_add_permission


class ReadOnlyMixin(FixedRowsMixin):
    has_change_permission = FixedRowsMixin.has_add_permission
