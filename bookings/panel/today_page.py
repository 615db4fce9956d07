"""The panel's first page, and its page of links."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.models import User
from accounts.phones import whatsapp_url
from bookings.domain.desk.setup import load_setup
from bookings.domain.desk.today import (
    TeacherDay,
    count_tasks,
    list_people_of_tomorrow,
    load_teacher_day,
)
from bookings.domain.money.takings import list_recent_months
from bookings.domain.people.students import list_bookable
from bookings.models import VirtualClass, find_open_class
from bookings.panel.pages import show_page
from bookings.templatetags.class_times import clock, long_day
from bookings.work.health import Look, load_service_state

# People whom the page offers to book for: two rows of a phone.
BOOKED_LATELY = 4


@dataclass(frozen=True, slots=True)
class NextClass:
    """level and whatsapp_url: of the person who booked it; "" without, and of an open class."""

    virtual_class: VirtualClass
    has_begun: bool
    is_today: bool
    level: str = ""
    whatsapp_url: str = ""

    @property
    def is_near(self) -> bool:
        return self.virtual_class.doors_open <= timezone.now()


@dataclass(frozen=True, slots=True)
class Reminder:
    person: User
    start: datetime
    whatsapp_url: str


def present_home(user: User) -> dict[str, Any]:
    day, service = load_teacher_day(), load_service_state()
    setup = load_setup()
    sees_money = user.has_perm("bookings.view_payment")
    sees_people = user.has_perm("accounts.view_user")
    next_class = _present_next(day.next_class) if day.next_class else None
    tasks = count_tasks(sees_payments=sees_money)
    return {
        "day": day,
        "next_class": next_class,
        "tasks": tasks,
        # A class that runs or is about to begin comes before all.
        "is_urgent": tasks.is_urgent and not (next_class and next_class.is_near),
        "reminders": _list_reminders() if sees_people else [],
        "bookable": list_bookable()[:BOOKED_LATELY] if sees_people else [],
        "months": list_recent_months(2) if sees_money else [],
        "setup": setup,
        # What is not connected yet is a step of the setup.
        "is_unread": setup.has_calendar and day.free_time is None,
        "look": _choose_look(service["look"], day),
    }


def _choose_look(look: Look, day: TeacherDay) -> Look:
    """A service without a calendar that can be read is not well."""
    return Look.AMBER if look == Look.GREEN and day.free_time is None else look


def _present_next(virtual_class: VirtualClass) -> NextClass:
    start, host = virtual_class.start_time, virtual_class.booked_by
    when = timezone.localdate(start) == timezone.localdate()
    present = partial(NextClass, virtual_class, start <= timezone.now(), when)
    if find_open_class(virtual_class):  # its host is the teacher
        return present()
    about = f"la clase del {long_day(start)} a las {clock(start)}"
    level = host.get_level_display().lower() if host.level else ""
    chat = whatsapp_url(host.phone, f"Hola {host.first_name}, te escribo por {about}.")
    return present(level=level, whatsapp_url=chat)


def _list_reminders() -> list[Reminder]:
    """List tomorrow's people who have a phone, each with a text that is ready to be sent."""
    people = [
        Reminder(person, row.start_time, whatsapp_url(person.phone, _remind(person, row)))
        for person, row in list_people_of_tomorrow()
    ]
    return [one for one in people if one.whatsapp_url]


def _remind(person: User, row: VirtualClass) -> str:
    when = f"mañana, {long_day(row.start_time)}, a las {clock(row.start_time)}"
    return f"Hola {person.first_name}, te recuerdo la clase de {when}. Entrás acá: {row.html_link}"


@require_safe
def show_more(request: HttpRequest) -> HttpResponse:
    return show_page(request, "admin/more.html", title="Más")
