"""The students' calendar of free hours, for the teacher, and who is in the way of another hour."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from accounts.models import User
from bookings.domain.sales.her_bookings import find_obstacle
from bookings.models import VirtualClass, find_open_class
from bookings.pages.choosing import ChosenTime, present_free_times, read_time
from bookings.panel.classes.class_forms import TYPED, HourForm
from bookings.panel.lists import day_at
from bookings.templatetags.class_times import clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn(ChosenTime):
    """kept: what the links of the calendar keep."""

    kept: tuple[tuple[str, str], ...]

    @property
    def prefix(self) -> str:
        return "".join(f"{urlencode([one])}&" for one in self.kept)


def present_hours(
    form: HourForm,
    turned: Mapping[str, str],
    *,
    kept: Mapping[str, str],
    length: timedelta,
    user: User | None = None,
    moving: VirtualClass | None = None,
) -> dict[str, Any]:
    """Return the context of ``_free_hours.html``.

    turned: may name the day or the month to show; else that of the form's hour, or the next with
    free hours. kept: what the links of the calendar keep.
    """
    shown = _choose_day(turned, form.proposed)
    choice = Turn(path="", kept=tuple(kept.items()), **read_time(shown))
    found = present_free_times(choice, length=length, user=user, moving=moving, by_teacher=True)
    free, start = found.get("free"), form.proposed
    # A bound field keeps the first value that it was asked for, so the initial ones come first.
    is_offered = free is not None and found["choice"].start == start
    if start and not is_offered:  # as if she had typed it
        form.initial.update(day=start.date(), clock=start.time())
    elif free and free["day"]:
        form.initial.setdefault("day", free["day"])
    is_typed = form["slot"].value() == TYPED or bool(form["clock"].value())
    return {
        **found,
        "form": form,
        "typed": TYPED,
        "is_typed": is_typed,
        "is_month_open": "mes" in shown,
    }


def _choose_day(turned: Mapping[str, str], start: datetime | None) -> Mapping[str, str]:
    day = f"{start:%Y-%m-%d}" if start else ""
    if start and "mes" not in turned and turned.get("dia", day) == day:
        return {"dia": day, "hora": f"{start:%H:%M}"}
    return {key: turned[key] for key in ("dia", "mes") if key in turned}


def explain_taken(
    start: datetime, end: datetime, student: User, moving: VirtualClass | None = None
) -> str:
    """Say who is in the way; moving: a class whose own time is not."""
    taken = find_obstacle(start, end, student, moving)
    if taken is None:
        return ""
    hours = f"{clock(taken.start_time)} a {clock(taken.end_time)}"
    if isinstance(taken, VirtualClass):
        if open_class := find_open_class(taken):
            return f"A esa hora das «{open_class.title}» ({hours})."
        return f"A esa hora está la clase de {taken.booked_by} ({hours})."
    doing = "eligiendo" if taken.purchase_id is None else "pagando"
    kept = f" Se la guardamos hasta el {day_at(taken.ends_at)}." if taken.ends_at else ""
    return f"{taken.user} está {doing} una clase a esa hora ({hours}).{kept}"
