"""People, as the teacher sees them: look, and correct the settings."""

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

# allauth and Django register tables that are empty here or nobody should edit by hand.
for registering in (
    "allauth.account.admin",
    "allauth.socialaccount.admin",
    "django.contrib.auth.admin",
):
    import_module(registering)
admin.site.unregister([EmailAddress, Group, SocialAccount, SocialApp, SocialToken])


@admin.register(LogEntry)
class LogEntryAdmin(admin.ModelAdmin[LogEntry]):
    """Who did what in the panel. Nobody writes here by hand, nor takes anything away."""

    list_display = ["action_time", "user", "content_type", "object_repr", "get_change_message"]
    list_filter = ["action_time"]
    list_select_related = ["user", "content_type"]
    search_fields = ["object_repr", "object_id", "change_message"]
    ordering = ["-action_time", "-pk"]
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Lines are written by what is done."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: LogEntry | None = None) -> bool:
        """What was done, was done."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: LogEntry | None = None) -> bool:
        """As above."""
        return False


@admin.register(User)
class UserAdmin(admin.ModelAdmin[User]):
    """The list of people. What services own is read-only; the calendar grant is never shown."""

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
        """People sign up by themselves."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """People are suspended: their classes and payments have to stay."""
        return False

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Store the settings as the profile page does."""
        save_profile(
            user=obj,
            location=obj.location,
            level=obj.level,
            phone=obj.phone,
            newsletter=obj.newsletter,
        )
