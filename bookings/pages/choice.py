"""What somebody has chosen on the way to a booking. It lives in the address, so links carry it."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django.conf import settings
from django.http import QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_time

from bookings.availability.months import month_of
from bookings.domain.pricing import Offer
from bookings.models import VirtualClass

# Where the times stand on the page.
TIMES = "horarios"


@dataclass(frozen=True, slots=True)
class Choice:
    """An offer, the month shown, and the day and time if they were chosen."""

    offer: Offer
    month: date
    day: date | None = None
    start: datetime | None = None

    @property
    def kind(self) -> str:
        """The part of the query that names the offer."""
        return urlencode({"tipo": self.offer.class_type.value, "min": self.offer.minutes})

    @property
    def address(self) -> str:
        """Where the choice is shown, with the parameters' Spanish names."""
        when = {"dia": self.day.isoformat()} if self.day else {"mes": f"{self.month:%Y-%m}"}
        if self.start:
            when["hora"] = f"{timezone.localtime(self.start):%H:%M}"
        return f"{reverse('bookings:book')}?{self.kind}&{urlencode(when)}"


def read_choice(parameters: QueryDict, offers: list[Offer]) -> Choice:
    """Read a choice leniently: what makes no sense counts as not chosen."""
    class_type, minutes = parameters.get("tipo"), parameters.get("min")
    of_type = [offer for offer in offers if offer.class_type == class_type] or offers
    offer = next((one for one in of_type if str(one.minutes) == minutes), _usual(of_type))
    day = _parse_day(parameters.get("dia", ""))
    month = _parse_day(f"{parameters.get('mes', '')}-01") or timezone.localdate()
    return Choice(offer, month_of(day or month), day, _parse_start(parameters, day))


def same_again(virtual_class: VirtualClass) -> str:
    """Give the address where a class of the same kind at the same time can be chosen."""
    start = timezone.localtime(virtual_class.start_time)
    parts = {
        "tipo": virtual_class.class_type,
        "min": int((virtual_class.end_time - start).total_seconds() // 60),
        "dia": f"{start:%Y-%m-%d}",
        "hora": f"{start:%H:%M}",
    }
    return f"{reverse('bookings:book')}?{urlencode(parts)}#{TIMES}"


def _usual(offers: list[Offer]) -> Offer:
    """Give the offer of an hour, or the one nearest to it."""
    return min(offers, key=lambda offer: abs(offer.minutes - 60))


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
    except ValueError:
        return None
    if day is None or clock is None:
        return None
    return datetime.combine(day, clock, tzinfo=ZoneInfo(settings.TIME_ZONE))
