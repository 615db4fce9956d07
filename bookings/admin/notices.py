"""The mails, as the teacher sees them: which left, which did not and why."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from bookings.admin.activities import ReadOnlyMixin
from bookings.models import Notice, NoticeState
from bookings.notices.due import make_due_again

IN_STATE = {
    NoticeState.DUE: Q(next_attempt_at__isnull=False),
    NoticeState.SENT: Q(sent_at__isnull=False),
    NoticeState.FAILED: Q(sent_at__isnull=True, next_attempt_at__isnull=True),
}


class StateFilter(admin.SimpleListFilter):
    """Parts the list by how the mail's story went."""

    title = "estado"
    parameter_name = "estado"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[Any, str]]:
        """Offer each state."""
        return NoticeState.choices

    def queryset(self, request: HttpRequest, queryset: QuerySet[Notice]) -> QuerySet[Notice]:
        """Keep the mails in the chosen state."""
        state = self.value()
        return queryset.filter(IN_STATE[NoticeState(state)]) if state in IN_STATE else queryset


@admin.register(Notice)
class NoticeAdmin(ReadOnlyMixin, admin.ModelAdmin[Notice]):
    """The list of mails. They are written by what happens to classes, and can be sent again."""

    list_display = ["due_at", "kind", "user", "virtual_class", "state", "attempts", "failure"]
    list_filter = [StateFilter, "kind"]
    list_select_related = ["user", "virtual_class"]
    search_fields = ["user__email", "user__name"]
    show_full_result_count = False
    ordering = ["-due_at", "pk"]
    actions = ["send_again"]

    def has_send_again_permission(self, request: HttpRequest) -> bool:
        """Nobody edits mails; whoever could may send them."""
        return request.user.has_perm("bookings.change_notice")

    @admin.display(description="estado")
    def state(self, obj: Notice) -> str:
        """Name the state."""
        return str(obj.state.label)

    @admin.action(description="Enviar de nuevo", permissions=["send_again"])
    def send_again(self, request: HttpRequest, queryset: QuerySet[Notice]) -> None:
        """Make the mails due once more."""
        count = make_due_again(queryset)
        self.message_user(request, f"Correos por enviar: {count}.", messages.SUCCESS)
