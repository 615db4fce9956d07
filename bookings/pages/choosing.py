"""Choose a time: the kinds of class, a choice as its query string, and the free times."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_time
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django_htmx.http import reselect, retarget

from accounts.models import User
from bookings.availability.agenda import list_holidays, load_agenda
from bookings.availability.slots import Period
from bookings.availability.weeks import build_month, month_of
from bookings.domain.money.prices import ClassOption
from bookings.models import ClassType, Hold, Offer, OpenClass, VirtualClass
from calendar_sync import CalendarError
from config.lib.wall_time import find_offset, read_wall_time

# The hours at which morning and afternoon end, in the service's zone.
NOON, EVENING = 12, 19
# Beyond any horizon; the teacher's rules end the agenda earlier.
FARTHEST = timedelta(days=366)
TITLES = {
    ClassType.INDIVIDUAL: gettext_lazy("Clase individual"),
    ClassType.GROUP: gettext_lazy("Clase grupal"),
}


def title_of(chosen: VirtualClass | Hold) -> str | Promise:
    open_class: OpenClass | None = getattr(chosen, "open_class", None)
    if open_class is not None:
        return open_class.shown_title
    return chosen.offer.shown_name if chosen.offer else TITLES[ClassType(chosen.class_type)]


@dataclass(frozen=True, slots=True)
class Kind:
    options: tuple[ClassOption, ...]

    @property
    def key(self) -> str:
        return self.options[0].kind

    @property
    def offer(self) -> Offer | None:
        return self.options[0].offer

    @property
    def label(self) -> str | Promise:
        return self.options[0].label

    @property
    def is_once(self) -> bool:
        return self.offer is not None and self.offer.once_per_person

    @property
    def is_group(self) -> bool:
        return self.options[0].class_type == ClassType.GROUP

    @property
    def links(self) -> list[tuple[ClassOption, str]]:
        return [(one, option_query(one)) for one in self.options]

    @property
    def has_spanish_name(self) -> bool:
        """True if an offer's name is in Spanish, perhaps on an English page."""
        return self.offer is not None and self.label == self.offer.name

    @property
    def has_spanish_text(self) -> bool:
        return self.offer is not None and self.hint == self.offer.text

    @property
    def hint(self) -> str:
        if self.offer and self.offer.shown_text:
            return self.offer.shown_text
        if not self.is_group:
            return _("Vos y tu profe, a tu ritmo.")
        people = max(one.max_students for one in self.options)
        return ngettext(
            "Reservás vos e invitás con un código. Hasta %(people)d persona.",
            "Reservás vos e invitás con un código. Hasta %(people)d personas.",
            people,
        ) % {"people": people}


def list_kinds(options: list[ClassOption]) -> list[Kind]:
    return [Kind(tuple(of_kind)) for _key, of_kind in groupby(options, lambda one: one.kind)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenTime:
    """path: of the page that offers the times."""

    path: str
    month: date
    day: date | None = None
    start: datetime | None = None

    @property
    def prefix(self) -> str:
        """The query before day and time, ending in ``&``."""
        return ""

    @property
    def query(self) -> str:
        when = {"dia": self.day.isoformat()} if self.day else {"mes": f"{self.month:%Y-%m}"}
        if self.start:
            when["hora"] = f"{timezone.localtime(self.start):%H:%M}"
        return f"{self.prefix}{urlencode(when)}"

    @property
    def address(self) -> str:
        return f"{self.path}?{self.query}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(ChosenTime):
    option: ClassOption

    @property
    def prefix(self) -> str:
        return f"{option_query(self.option)}&"


def read_kind(parameters: QueryDict) -> str:
    """Return the ClassType or the offer's key in the address; empty without one."""
    return parameters.get("oferta") or parameters.get("tipo") or ""


def read_choice(parameters: QueryDict, options: list[ClassOption]) -> Choice:
    """Read a choice; an invalid part counts as not chosen."""
    kind, minutes = read_kind(parameters), parameters.get("min")
    plain = [one for one in options if one.offer is None]
    of_kind = [one for one in options if one.kind == kind] or plain or options
    nearest_to_an_hour = min(of_kind, key=lambda one: abs(one.minutes - 60))
    option = next((one for one in of_kind if str(one.minutes) == minutes), nearest_to_an_hour)
    return Choice(option=option, path=reverse("bookings:book"), **read_time(parameters))


def option_query(option: ClassOption) -> str:
    return _kind_query(option.offer, option.class_type, option.minutes)


def _kind_query(offer: Offer | None, class_type: str, minutes: int) -> str:
    kind = {"oferta": offer.key} if offer else {"tipo": str(class_type)}
    return urlencode({**kind, "min": minutes})


def read_time(parameters: Mapping[str, str]) -> dict[str, Any]:
    day = _parse_day(parameters.get("dia", ""))
    month = _parse_day(f"{parameters.get('mes', '')}-01") or timezone.localdate()
    return {"month": month_of(day or month), "day": day, "start": _parse_start(parameters, day)}


def rebook_url(virtual_class: VirtualClass) -> str:
    """Leave out a hidden offer if the teacher booked: its key did not reach the student."""
    is_hidden = virtual_class.offer is not None and not virtual_class.offer.is_listed
    offer = None if is_hidden and hasattr(virtual_class, "link") else virtual_class.offer
    return f"{reverse('bookings:book')}?{_choice_query(virtual_class, offer)}#horarios"


def choice_query(chosen: VirtualClass | Hold) -> str:
    return _choice_query(chosen, chosen.offer)


def _choice_query(chosen: VirtualClass | Hold, offer: Offer | None) -> str:
    start = timezone.localtime(chosen.start_time)
    when = {"dia": f"{start:%Y-%m-%d}", "hora": f"{start:%H:%M}"}
    kind = _kind_query(offer, chosen.class_type, chosen.minutes)
    return f"{kind}&{urlencode(when)}"


def _parse_day(text: str) -> date | None:
    try:
        day = parse_date(text)
    except ValueError:
        return None
    today = timezone.localdate()
    return day if day and abs(day - today) < timedelta(days=366) else None


def _parse_start(parameters: Mapping[str, str], day: date | None) -> datetime | None:
    try:
        clock = parse_time(parameters.get("hora", ""))
        if day is None or clock is None:
            return None
        return read_wall_time(datetime.combine(day, clock.replace(tzinfo=None)))
    except ValueError:
        return None


def present_free_times(
    choice: ChosenTime,
    *,
    length: timedelta,
    user: User | None,
    moving: VirtualClass | None = None,
    by_teacher: bool = False,
) -> dict[str, Any]:
    """Return the template context; ``problem`` instead of ``free`` if the calendar fails.

    user, moving, by_teacher: as for ``load_agenda``. is_stale: the chosen time is taken.
    """
    today = timezone.localdate()
    try:
        agenda = load_agenda(
            today, today + FARTHEST, user=user, moving=moving, by_teacher=by_teacher
        )
    except CalendarError:
        utc_offset = name_utc_offset(choice.day)
        return {"choice": choice, "utc_offset": utc_offset, "problem": "calendar"}
    by_day = agenda.find_free_slots(length)
    day = choice.day or _first_free_day(by_day, choice.month)
    latest = timezone.localdate(agenda.latest - timedelta.resolution)
    holidays = list_holidays(today, latest)
    later = [one for one in by_day if day is None or one > day]
    slots = by_day.get(day, []) if day else []
    is_stale = choice.start is not None and choice.start not in [slot.start for slot in slots]
    return {
        "choice": replace(choice, day=day, start=None if is_stale else choice.start),
        "is_stale": is_stale,
        "utc_offset": name_utc_offset(day),
        "free": {
            "month": build_month(
                month_of(day or choice.month), by_day, latest=latest, holidays=holidays
            ),
            "day": day,
            "holiday": holidays.get(day, "") if day else "",
            "count": len(slots),
            "parts_of_day": split_day(slots),
            "next_free_day": min(later or by_day, default=None),
            "is_anything_free": bool(by_day),
        },
    }


def render_times(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """If the time that was just chosen is taken, htmx swaps month and times, not only the chosen
    time.
    """
    response = render(request, template, context)
    if context.get("is_stale") and request.headers.get("HX-Target") == "chosen-time":
        return reselect(retarget(response, "#when"), "#when")
    return response


def _first_free_day(by_day: dict[date, list[Period]], month: date) -> date | None:
    in_month = [day for day in by_day if month_of(day) == month]
    if not in_month and month == month_of(timezone.localdate()):
        in_month = list(by_day)
    return min(in_month, default=None)


def split_day(slots: list[Period]) -> list[tuple[str, list[Period]]]:
    return [(name, list(of_part)) for name, of_part in groupby(slots, _name_part)]


def _name_part(slot: Period) -> str:
    hour = timezone.localtime(slot.start).hour
    if hour < NOON:
        return _("Mañana")
    return _("Tarde") if hour < EVENING else _("Noche")


def name_utc_offset(day: date | None) -> str:
    offset = find_offset(datetime.combine(day or timezone.localdate(), time(12), tzinfo=UTC))
    hours, minutes = divmod(abs(offset), 60)
    sign = "−" if offset < 0 else "+"
    return f"UTC{sign}{hours}:{minutes:02d}" if minutes else f"UTC{sign}{hours}"
