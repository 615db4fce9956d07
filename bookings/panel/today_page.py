"""The panel's first page, and its page of links."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.models import User
from accounts.phones import whatsapp_url
from bookings.domain.desk.setup import load_setup
from bookings.domain.desk.today import count_tasks, load_teacher_day
from bookings.domain.money.takings import list_recent_months
from bookings.models import VirtualClass
from bookings.panel.pages import show_page
from bookings.templatetags.class_times import clock, long_day
from bookings.work.health import load_service_state


@dataclass(frozen=True, slots=True)
class NextClass:
    """whatsapp_url: "" without a phone."""

    virtual_class: VirtualClass
    has_begun: bool
    is_today: bool
    whatsapp_url: str


def present_home(user: User) -> dict[str, Any]:
    day = load_teacher_day()
    sees_money = user.has_perm("bookings.view_payment")
    return {
        "day": day,
        "next_class": _present_next(day.next_class) if day.next_class else None,
        "tasks": count_tasks(sees_payments=sees_money),
        "months": list_recent_months(2) if sees_money else [],
        "setup": load_setup(),
        "service": load_service_state(),
    }


def _present_next(virtual_class: VirtualClass) -> NextClass:
    start, host = virtual_class.start_time, virtual_class.booked_by
    about = f"la clase del {long_day(start)} a las {clock(start)}"
    return NextClass(
        virtual_class=virtual_class,
        has_begun=start <= timezone.now(),
        is_today=timezone.localdate(start) == timezone.localdate(),
        whatsapp_url=whatsapp_url(host.phone, f"Hola {host.first_name}, te escribo por {about}."),
    )


@require_safe
def show_more(request: HttpRequest) -> HttpResponse:
    return show_page(request, "admin/more.html", title="Más")
