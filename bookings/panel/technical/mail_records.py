"""Mails."""

from functools import partial
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.models import User
from bookings.models import Notice, NoticeState
from bookings.notices.due import make_due_again
from bookings.panel.lists import OptionFilter
from bookings.panel.pages import ReadOnlyMixin
from bookings.panel.steps import Facts, Report, Step, StepsAdmin, group_mails


def in_state(state: NoticeState, notices: QuerySet[Notice]) -> QuerySet[Notice]:
    now = timezone.now()
    conditions = {
        NoticeState.PLANNED: Q(next_attempt_at__isnull=False, due_at__gt=now),
        NoticeState.DUE: Q(next_attempt_at__isnull=False, due_at__lte=now),
        NoticeState.SENT: Q(sent_at__isnull=False),
        NoticeState.FAILED: Q(sent_at__isnull=True, next_attempt_at__isnull=True),
    }
    return notices.filter(conditions[state])


class StateFilter(OptionFilter):
    """Shows planned mails only when chosen."""

    title = parameter_name = "estado"
    usual = "Hasta ahora"
    options = {state.value: (state.label, partial(in_state, state)) for state in NoticeState}

    def narrow_usual(self, queryset: QuerySet[Notice]) -> QuerySet[Notice]:
        planned = Q(next_attempt_at__isnull=False, due_at__gt=timezone.now())
        return queryset.exclude(planned)


class SendAgain(Step[Notice]):
    name = "enviar"
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
class NoticeAdmin(ReadOnlyMixin, StepsAdmin[Notice]):
    list_display = ["kind", "outcome", "user", "due_at", "virtual_class", "attempts"]
    list_filter = [StateFilter, "kind"]
    list_select_related = ["user", "virtual_class"]
    search_fields = ["user__email", "user__name"]
    ordering = ["-due_at", "pk"]
    steps = (SendAgain(),)

    @admin.display(description="estado")
    def outcome(self, obj: Notice) -> str:
        return f"{obj.state.label}: {obj.failure}" if obj.failure else str(obj.state.label)
