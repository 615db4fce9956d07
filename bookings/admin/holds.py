"""Times that students hold, as the teacher sees them."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from bookings.admin.activities import ReadOnlyMixin
from bookings.domain.holding import release_hold
from bookings.models import Hold
from bookings.templatetags.class_times import clock, short_day


@admin.register(Hold)
class HoldAdmin(ReadOnlyMixin, admin.ModelAdmin[Hold]):
    """The live holds; over is over, and nobody makes one by hand."""

    list_display = ["when", "user", "class_type", "virtual_class", "expires_at"]
    list_select_related = ["user", "virtual_class"]
    search_fields = ["user__email", "user__name"]
    ordering = ["start_time"]
    actions = ["release"]
    fields = ["when", "user", "class_type", "virtual_class", "expires_at", "created_at"]
    readonly_fields = ["when", "created_at"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Hold]:
        """Leave out what is over but not deleted yet."""
        return super().get_queryset(request).filter(expires_at__gt=timezone.now())

    def has_release_permission(self, request: HttpRequest) -> bool:
        """Whoever may delete holds may release them."""
        return request.user.has_perm("bookings.delete_hold")

    @admin.display(description="horario", ordering="start_time")
    def when(self, obj: Hold) -> str:
        """Say day and hours in the service's zone."""
        return f"{short_day(obj.start_time)} · {clock(obj.start_time)} a {clock(obj.end_time)}"

    @admin.action(description="Liberar", permissions=["release"])
    def release(self, request: HttpRequest, queryset: QuerySet[Hold]) -> None:
        """Give the times back to everybody, except those that a class is being paid for."""
        for hold in queryset.select_related("user"):
            if hold.virtual_class_id:
                self.message_user(
                    request,
                    f"{hold}: se está pagando. Si no va a ser, cancelá la clase.",
                    messages.WARNING,
                )
                continue
            release_hold(user=hold.user, hold_id=hold.pk)
            self.message_user(request, f"{hold}: horario liberado.", messages.SUCCESS)
