"""The technical pages: the service's state, the calendar, and mails."""

from functools import partial
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.models import User
from accounts.selectors import find_calendar_owner, find_calendar_token
from bookings.domain.calendar.grant import (
    check_calendar_grant,
    has_stand_in,
    is_at_risk,
    is_revoked,
)
from bookings.domain.calendar.repairing import COMPARED
from bookings.models import Notice, NoticeState, VirtualClass, meet_refused_at, read_beats
from bookings.notices.due import make_due_again
from bookings.panel.classes.class_list import list_drifted
from bookings.panel.lists import OptionFilter
from bookings.panel.pages import ReadOnlyMixin, page_for, show_page
from bookings.panel.steps import Facts, Report, Step, StepsAdmin, group_mails
from bookings.work.health import load_service_state
from calendar_sync import BusySlot, CalendarError, CalendarNotConnectedError, use_calendar
from calendar_sync.push import has_open_channel

# Spec: Limits, administrative event listing.
EVENTS_SHOWN = 10


@page_for("bookings.view_virtualclass")
def show_technical(request: HttpRequest) -> HttpResponse:
    return show_page(
        request,
        "admin/technical.html",
        title="Técnico",
        service=load_service_state(),
        has_open_channel=has_open_channel(),
    )


@require_safe
def show_calendar(request: HttpRequest) -> HttpResponse:
    if not request.user.is_superuser:
        raise PermissionDenied
    state, events = _read(find_calendar_owner())
    owner = find_calendar_owner()  # by now a refusal is noted
    return show_page(
        request,
        "admin/calendar.html",
        title="Calendario",
        owner=owner,
        admin_email=settings.ADMIN_EMAIL,
        calendar_id=settings.CALENDAR_ID,
        state=state,
        is_at_risk=is_at_risk(owner),
        has_stand_in=has_stand_in(owner),
        events=events,
        compared_at=read_beats().get(COMPARED),
        meet_refused_at=meet_refused_at(),
        drifted=list_drifted(VirtualClass.objects.all()).count(),
    )


def _read(owner: User | None) -> tuple[str, list[BusySlot]]:
    """Ask the provider now: the stored grant may have been revoked, or be accepted again."""
    if is_revoked(owner) and not check_calendar_grant():
        return "revoked", []
    try:
        now = timezone.now()
        with use_calendar(find_calendar_token()) as calendar:
            events = calendar.upcoming_events(since=now, limit=EVENTS_SHOWN)
    except CalendarNotConnectedError:
        if settings.CALENDAR_SERVICE_ACCOUNT:
            return "refused", []
        return "absent" if owner is None else "revoked", []
    except CalendarError:
        return "unavailable", []
    return "connected", events


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
