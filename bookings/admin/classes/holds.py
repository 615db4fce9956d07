"""Holds."""

from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from accounts.models import User
from bookings.admin.cells import class_link, day_and_time
from bookings.admin.read_only import ReadOnlyMixin
from bookings.admin.steps import Facts, Report, Step, StepsAdmin
from bookings.domain.checkout.holds import release_hold
from bookings.domain.dry_runs import rolled_back
from bookings.domain.exceptions import BookingError
from bookings.models import Hold
from bookings.templatetags.class_times import clock


class ReleaseHold(Step[Hold]):
    name, permission = "liberar", "delete"
    label, bulk, yes = "Liberar el horario", "Liberar", "Sí, liberar"
    warning = "Otra persona puede reservarlo enseguida."

    def foresee(self, row: Hold, form: Any, actor: User) -> Facts | None:
        if row.purchase_id:
            raise BookingError("Se está pagando. Si no va a ser, cancelá la clase.")
        with rolled_back():
            is_held = release_hold(user=row.user, hold_id=row.pk)
        happens = (f"{row.user} pierde el horario que estaba reservando; no sale ningún correo.",)
        return Facts(str(row), happens) if is_held else None

    def take(self, row: Hold, form: Any, actor: User) -> Report:
        release_hold(user=row.user, hold_id=row.pk)
        return Report(f"{row}: horario liberado.")


@admin.register(Hold)
class HoldAdmin(ReadOnlyMixin, StepsAdmin[Hold]):
    list_display = ["when", "user", "class_type", "of_class", "until"]
    list_select_related = ["user", "purchase__virtual_class"]
    search_fields = ["user__email", "user__name"]
    ordering = ["start_time"]
    steps = (ReleaseHold(),)
    fields = ["when", "user", "class_type", "of_class", "until", "created_at"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Hold]:
        return super().get_queryset(request) & Hold.objects.live(timezone.now())

    def row_address(self, row: Model) -> str:
        """A released hold has no page."""
        return self.address("changelist")

    @admin.display(description="horario", ordering="start_time")
    def when(self, obj: Hold) -> str:
        return f"{day_and_time(obj.start_time)} a {clock(obj.end_time)}"

    @admin.display(description="clase")
    def of_class(self, obj: Hold) -> str:
        virtual_class = obj.purchase.virtual_class if obj.purchase else None
        return class_link(virtual_class, missing="—")

    @admin.display(description="vence")
    def until(self, obj: Hold) -> str:
        return day_and_time(obj.ends_at) if obj.ends_at else "—"
