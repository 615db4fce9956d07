"""People in the panel."""

from importlib import import_module
from typing import Any

from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.http import HttpRequest

from accounts.models import User
from accounts.services import save_profile

# allauth and Django register tables that are empty here, or that must not be edited by hand.
for registering in (
    "allauth.account.admin",
    "allauth.socialaccount.admin",
    "django.contrib.auth.admin",
):
    import_module(registering)
admin.site.unregister([EmailAddress, Group, SocialAccount, SocialApp, SocialToken])


@admin.register(LogEntry)
class LogEntryAdmin(admin.ModelAdmin[LogEntry]):
    list_display = ["action_time", "user", "content_type", "object_repr", "get_change_message"]
    list_filter = ["action_time"]
    list_select_related = ["user", "content_type"]
    search_fields = ["object_repr", "object_id", "change_message"]
    ordering = ["-action_time", "-pk"]
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: LogEntry | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: LogEntry | None = None) -> bool:
        return False


@admin.register(User)
class UserAdmin(admin.ModelAdmin[User]):
    """People; fields that services own are read-only."""

    list_display = ["email", "name", "status", "total_classes", "level", "last_login"]
    list_filter = ["status", "level", "newsletter", "is_staff"]
    search_fields = ["email", "name", "location", "phone"]
    date_hierarchy = "created_at"
    ordering = ["-created_at", "pk"]
    show_full_result_count = False

    fieldsets = [
        (None, {"fields": ["email", "name", "status", "is_staff"]}),
        ("Perfil", {"fields": ["location", "level", "phone", "newsletter", "language"]}),
        ("Actividad", {"fields": ["total_classes", "last_login", "created_at", "updated_at"]}),
    ]
    readonly_fields = [
        "email",
        "name",
        "status",
        "is_staff",
        "language",
        "total_classes",
        "last_login",
        "created_at",
        "updated_at",
    ]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Return False: people are suspended, because their classes and payments stay."""
        return False

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        save_profile(
            user=obj,
            location=obj.location,
            level=obj.level,
            phone=obj.phone,
            newsletter=obj.newsletter,
        )
