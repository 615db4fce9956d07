"""Mails."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from accounts.models import User
from bookings.admin.read_only import ReadOnlyMixin
from bookings.admin.steps import Facts, Report, Step, StepsMixin, group_mails
from bookings.models import Notice, NoticeState
from bookings.notices.due import make_due_again


def is_in_state(state: NoticeState) -> Q:
    now = timezone.now()
    return {
        NoticeState.PLANNED: Q(next_attempt_at__isnull=False, due_at__gt=now),
        NoticeState.DUE: Q(next_attempt_at__isnull=False, due_at__lte=now),
        NoticeState.SENT: Q(sent_at__isnull=False),
        NoticeState.FAILED: Q(sent_at__isnull=True, next_attempt_at__isnull=True),
    }[state]


class StateFilter(admin.SimpleListFilter):
    """Mails by state; planned ones show only when chosen."""

    title = "estado"
    parameter_name = "estado"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[Any, str]]:
        return NoticeState.choices

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        first, *states = super().choices(changelist)
        yield {**first, "display": "Hasta ahora"}
        yield from states

    def queryset(self, request: HttpRequest, queryset: QuerySet[Notice]) -> QuerySet[Notice]:
        state = self.value()
        if state not in NoticeState.values:
            return queryset.exclude(is_in_state(NoticeState.PLANNED))
        return queryset.filter(is_in_state(NoticeState(state)))


class SendAgain(Step[Notice]):
    name, permission = "enviar", "send_again"
    label = bulk = "Enviar de nuevo"
    yes = "Sí, enviar"
    warning = "Un correo que ya salió no se puede retirar."

    def foresee(self, row: Notice, form: Any, actor: User) -> Facts | None:
        if row.state == NoticeState.DUE:
            return None
        about = f" · {row.virtual_class}" if row.virtual_class else ""
        return Facts(f"{row}{about}", mails=group_mails([row]))

    def take(self, row: Notice, form: Any, actor: User) -> Report:
        make_due_again(Notice.objects.filter(pk=row.pk))
        return Report(f"{row}: sale de nuevo.")


@admin.register(Notice)
class NoticeAdmin(StepsMixin, ReadOnlyMixin, admin.ModelAdmin[Notice]):
    list_display = ["due_at", "kind", "outcome", "user", "virtual_class", "attempts"]
    list_filter = [StateFilter, "kind"]
    list_select_related = ["user", "virtual_class"]
    search_fields = ["user__email", "user__name"]
    show_full_result_count = False
    ordering = ["-due_at", "pk"]
    steps = (SendAgain(),)

    def has_send_again_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("bookings.change_notice")

    @admin.display(description="estado")
    def outcome(self, obj: Notice) -> str:
        return f"{obj.state.label}: {obj.failure}" if obj.failure else str(obj.state.label)
