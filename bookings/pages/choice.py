"""A chosen offer and time, as the page's address carries them."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_time

from bookings.availability.months import month_of
from bookings.domain.money.prices import ClassOption
from bookings.models import Hold, VirtualClass
from config.lib.wall_time import read_wall_time


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenTime:
    """The month shown; day and time if they were chosen. path: of the page that offers them."""

    path: str
    month: date
    day: date | None = None
    start: datetime | None = None

    @property
    def prefix(self) -> str:
        """The query before day and time: empty, or it ends in ``&``."""
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
    offer: ClassOption

    @property
    def prefix(self) -> str:
        kind = {"tipo": self.offer.class_type.value, "min": self.offer.minutes}
        return f"{urlencode(kind)}&"


def read_choice(parameters: QueryDict, offers: list[ClassOption]) -> Choice:
    """Read a choice; an invalid part counts as not chosen."""
    class_type, minutes = parameters.get("tipo"), parameters.get("min")
    of_type = [offer for offer in offers if offer.class_type == class_type] or offers
    nearest_to_an_hour = min(of_type, key=lambda offer: abs(offer.minutes - 60))
    offer = next((one for one in of_type if str(one.minutes) == minutes), nearest_to_an_hour)
    return Choice(offer=offer, path=reverse("bookings:book"), **read_moment(parameters))


def read_moment(parameters: QueryDict) -> dict[str, Any]:
    day = _parse_day(parameters.get("dia", ""))
    month = _parse_day(f"{parameters.get('mes', '')}-01") or timezone.localdate()
    return {"month": month_of(day or month), "day": day, "start": _parse_start(parameters, day)}


def rebook_url(virtual_class: VirtualClass) -> str:
    """Return the address that offers the same kind of class at the same time."""
    return f"{reverse('bookings:book')}?{choice_query(virtual_class)}#horarios"


def choice_query(chosen: VirtualClass | Hold) -> str:
    """Return the query that chooses the kind and the time of a class or a hold."""
    start = timezone.localtime(chosen.start_time)
    parts = {
        "tipo": chosen.class_type,
        "min": chosen.minutes,
        "dia": f"{start:%Y-%m-%d}",
        "hora": f"{start:%H:%M}",
    }
    return urlencode(parts)


def _parse_day(text: str) -> date | None:
    try:
        day = parse_date(text)
    except ValueError:
        return None
    today = timezone.localdate()
    return day if day and abs(day - today) < timedelta(days=366) else None


def _parse_start(parameters: QueryDict, day: date | None) -> datetime | None:
    try:
        clock = parse_time(parameters.get("hora", ""))
        if day is None or clock is None:
            return None
        return read_wall_time(datetime.combine(day, clock.replace(tzinfo=None)))
    except ValueError:
        return None
