"""The students' calendar of free hours, for the teacher: she may also type any other hour."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from accounts.models import User
from bookings.models import VirtualClass
from bookings.pages.choosing import ChosenTime, present_free_times, read_time
from bookings.panel.classes.class_forms import HourForm


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
    if start and found.get("is_stale"):  # an hour that the calendar lacks
        form.initial.update(day=start.date(), clock=start.time())
    elif free and free["day"]:
        form.initial.setdefault("day", free["day"])
    is_typed = bool(form["clock"].value()) or free is None or not free["is_anything_free"]
    return {**found, "form": form, "is_typed": is_typed, "is_month_open": "mes" in shown}


def _choose_day(turned: Mapping[str, str], start: datetime | None) -> Mapping[str, str]:
    day = f"{start:%Y-%m-%d}" if start else ""
    if start and "mes" not in turned and turned.get("dia", day) == day:
        return {"dia": day, "hora": f"{start:%H:%M}"}
    return {key: turned[key] for key in ("dia", "mes") if key in turned}
