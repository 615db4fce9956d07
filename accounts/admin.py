"""People, as the teacher sees them: look, correct the settings, suspend, reactivate."""

from importlib import import_module
from typing import Any

from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.contrib import admin, messages
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.models import User, UserStatus
from accounts.services import reactivate, save_profile, suspend

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
    actions = ["suspend_people", "reactivate_people"]

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

    @admin.action(description="Suspender", permissions=["change"])
    def suspend_people(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """Close the accounts and end their sessions; administrators are left alone."""
        people = list(queryset.filter(status=UserStatus.ACTIVE, is_superuser=False))
        for user in people:
            suspend(user=user)
        self.message_user(request, f"Cuentas suspendidas: {len(people)}.", messages.SUCCESS)

    @admin.action(description="Reactivar", permissions=["change"])
    def reactivate_people(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """Open suspended accounts again."""
        people = list(queryset.filter(status=UserStatus.SUSPENDED))
        for user in people:
            reactivate(user=user)
        self.message_user(request, f"Cuentas reactivadas: {len(people)}.", messages.SUCCESS)
