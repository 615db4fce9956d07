"""Who takes part, as the teacher sees it."""

from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from bookings.models import UserActivity


class ReadOnlyMixin:
    """Rows that only the domain's functions write."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody adds them by hand."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody edits them."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody deletes them."""
        return False


@admin.register(UserActivity)
class UserActivityAdmin(ReadOnlyMixin, admin.ModelAdmin[UserActivity]):
    """People's parts in classes."""

    list_display = ["user", "virtual_class", "rol", "completed", "no_show", "created_at"]
    list_filter = ["rol", "completed", "no_show"]
    list_select_related = ["user", "virtual_class"]
    search_fields = ["user__email", "user__name"]
    show_full_result_count = False
    ordering = ["-created_at", "-id"]
