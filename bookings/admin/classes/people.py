"""Participants and waiting list of a class."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from bookings.admin.read_only import ReadOnlyMixin
from bookings.domain.places.place_offers import IN_LINE
from bookings.models import ClassStatus, UserActivity, VirtualClass, WaitingListEntry
from bookings.templatetags.class_times import clock, near_day

INLINE_TEMPLATE = "admin/read_only_inline.html"
MAY_CHANGE = "bookings.change_virtualclass"


class ActivityInline(ReadOnlyMixin, admin.TabularInline[UserActivity, VirtualClass]):
    model = UserActivity
    fields = ["user", "attendance", "rol", "completed", "created_at"]
    readonly_fields = ["created_at", "attendance"]
    ordering = ["rol", "created_at"]
    template = INLINE_TEMPLATE

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        presence = "attendance" if request.user.has_perm(MAY_CHANGE) else "no_show"
        return [presence if name == "attendance" else name for name in self.fields]

    def get_queryset(self, request: HttpRequest) -> QuerySet[UserActivity]:
        return super().get_queryset(request).select_related("user", "virtual_class")

    @admin.display(description="asistencia")
    def attendance(self, obj: UserActivity) -> str:
        virtual_class = obj.virtual_class
        is_given = virtual_class.status in {ClassStatus.SCHEDULED, ClassStatus.COMPLETED}
        if not is_given or virtual_class.start_time > timezone.now():
            return "—"
        state, came, label = ("Faltó ", "1", "Vino") if obj.no_show else ("", "", "Marcar falta")
        return format_html(
            '{}<button class="button" type="submit" form="people" formaction="{}" name="came" '
            'value="{}">{}<span class="visually-hidden">: {}</span></button>',
            state,
            reverse("admin:bookings_virtualclass_attendance", args=[virtual_class.pk, obj.pk]),
            came,
            label,
            obj.user,
        )


class WaitingInline(ReadOnlyMixin, admin.TabularInline[WaitingListEntry, VirtualClass]):
    model = WaitingListEntry
    fields = ["user", "standing", "remove", "created_at"]
    readonly_fields = ["standing", "created_at", "remove"]
    ordering = ["created_at", "id"]
    template = INLINE_TEMPLATE

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        may_remove = request.user.has_perm(MAY_CHANGE)
        return [name for name in self.fields if may_remove or name != "remove"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[WaitingListEntry]:
        return super().get_queryset(request).select_related("user")

    @admin.display(description="estado")
    def standing(self, obj: WaitingListEntry) -> str:
        if obj.offer_expires_at and obj.is_live():
            until = f"{near_day(obj.offer_expires_at)}, {clock(obj.offer_expires_at)}"
            return f"{obj.get_state_display()} hasta {until}"
        return "Dejó pasar el lugar" if obj.has_expired() else obj.get_state_display()

    @admin.display(description="turno")
    def remove(self, obj: WaitingListEntry) -> str:
        if obj.state not in IN_LINE:
            return ""
        step = reverse("admin:bookings_virtualclass_step", args=[obj.virtual_class_id, "espera"])
        return format_html(
            '<a class="button" href="{}?entry={}">'
            'Quitar<span class="visually-hidden">: {}</span></a>',
            step,
            obj.pk,
            obj.user,
        )
