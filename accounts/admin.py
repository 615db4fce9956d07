"""People in the panel."""

from typing import Any

from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.http import HttpRequest

from accounts.models import User
from accounts.services import save_profile

# allauth and Django register these tables, which are empty here or must not be edited by hand.
admin.site.unregister([EmailAddress, Group, SocialAccount, SocialApp, SocialToken])

IDENTITY = ("mail", "name", "status", "is_staff")
ACTIVITY = ("total_classes", "last_login", "created_at", "updated_at")


def _never(self: Any, request: HttpRequest, obj: Any = None) -> bool:
    return False


@admin.register(LogEntry)
class LogEntryAdmin(admin.ModelAdmin[LogEntry]):
    list_display = ["action_time", "user", "content_type", "object_repr", "get_change_message"]
    list_filter = ["action_time"]
    list_select_related = ["user", "content_type"]
    search_fields = ["object_repr", "object_id", "change_message"]
    ordering = ["-action_time", "-pk"]
    show_full_result_count = False

    has_add_permission = has_change_permission = has_delete_permission = _never


@admin.register(User)
class UserAdmin(admin.ModelAdmin[User]):
    list_display = ["mail", "name", "status", "total_classes", "level", "last_login"]
    list_filter = ["status", "level", "newsletter", "is_staff"]
    search_fields = ["email", "contact_email", "name", "location", "phone"]
    date_hierarchy = "created_at"
    ordering = ["-created_at", "pk"]
    show_full_result_count = False

    fieldsets = [
        (None, {"fields": IDENTITY}),
        ("Perfil", {"fields": ["location", "level", "phone", "newsletter", "language"]}),
        ("Actividad", {"fields": ACTIVITY}),
    ]
    readonly_fields = [*IDENTITY, "language", *ACTIVITY]

    # People are suspended, because their classes and payments stay.
    has_add_permission = has_delete_permission = _never

    @admin.display(description="correo", ordering="email")
    def mail(self, obj: User) -> str:
        return obj.mail_address or "—"

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        save_profile(user=obj, **form.cleaned_data)
