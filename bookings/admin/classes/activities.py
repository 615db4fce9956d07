"""Participations."""

from django.contrib import admin

from bookings.admin.read_only import ReadOnlyMixin
from bookings.models import UserActivity


@admin.register(UserActivity)
class UserActivityAdmin(ReadOnlyMixin, admin.ModelAdmin[UserActivity]):
    list_display = ["user", "virtual_class", "rol", "completed", "no_show", "created_at"]
    list_filter = ["rol", "completed", "no_show"]
    list_select_related = ["user", "virtual_class"]
    search_fields = ["user__email", "user__name"]
    show_full_result_count = False
    ordering = ["-created_at", "-id"]
