"""``/inicio/reservar``: type and length, day, time. The choice lives in the address."""

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.models import User
from bookings.availability.agenda import load_agenda
from bookings.availability.months import Month, build_month, month_of
from bookings.availability.periods import Period
from bookings.domain.exceptions import BookingError, SlotTakenError
from bookings.domain.holding import hold_slot
from bookings.domain.pricing import Offer, list_offers
from bookings.models import ClassType
from bookings.pages.choice import TIMES, Choice, read_choice
from calendar_sync import CalendarError

# Where the parts of a day end, by the clock of the service's zone.
NOON, EVENING = 12, 19
# Farther than any horizon; the agenda ends where the teacher's rules say.
FARTHEST = timedelta(days=366)


@dataclass(frozen=True, slots=True)
class Kind:
    """A type of class as its card shows it. lowest_amount: centavos, of its cheapest length."""

    class_type: ClassType
    hint: str
    lowest_amount: int


@dataclass(frozen=True, slots=True)
class PartOfDay:
    """The free times of a morning, afternoon or evening."""

    name: str
    slots: list[Period]


@dataclass(frozen=True, slots=True)
class FreeTimes:
    """What is free around a choice.

    month: its grid, without the weeks that are over. day: the one whose times are shown; none in a
    month without any.
    next_free_day: where to go on when the day has none. is_anything_free: for this kind of class.
    """

    month: Month
    day: date | None
    parts_of_day: list[PartOfDay]
    next_free_day: date | None
    is_anything_free: bool

    @property
    def count(self) -> int:
        """How many times the day offers."""
        return sum(len(part.slots) for part in self.parts_of_day)

    def offers(self, start: datetime | None) -> bool:
        """Whether this time is among those of the day."""
        return any(slot.start == start for part in self.parts_of_day for slot in part.slots)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def choose(request: HttpRequest) -> HttpResponse:
    """Show what is free; keep the chosen time. Anybody may look, only people may keep."""
    offers = list_offers()
    if not offers:
        return render(request, "bookings/choose.html", {"problem": "no_offers"})
    if request.method == "POST":
        return _keep(request, read_choice(request.POST, offers))
    return _show(request, offers, read_choice(request.GET, offers))


def _keep(request: HttpRequest, choice: Choice) -> HttpResponse:
    if not request.user.is_authenticated:
        back = urlencode({"callbackUrl": choice.address})
        return redirect(f"{reverse('bookings:inicio')}?{back}")
    if choice.start is None:
        messages.error(request, _("Elegí un horario para continuar."))
        return redirect(f"{choice.address}#{TIMES}")
    try:
        hold = hold_slot(
            user=request.user,
            start=choice.start,
            minutes=choice.offer.minutes,
            class_type=choice.offer.class_type,
        )
    except SlotTakenError:
        return redirect(f"{choice.address}#{TIMES}")  # the page sees and says so itself
    except CalendarError:
        return redirect(choice.address)  # so does it here
    except BookingError as refusal:
        messages.error(request, refusal.text)
        return redirect(choice.address)
    # The choice goes along: when the time is over, it is there to choose again.
    query = choice.address.partition("?")[2]
    return redirect(f"{reverse('bookings:hold', args=[hold.pk])}?{query}")


def _show(request: HttpRequest, offers: list[Offer], choice: Choice) -> HttpResponse:
    context: dict[str, object] = {
        "kinds": list_kinds(offers),
        "lengths": [one for one in offers if one.class_type == choice.offer.class_type],
        "choice": choice,
        "utc_offset": name_utc_offset(choice.start or timezone.now()),
    }
    try:
        free = _find_free_times(choice, request.user if isinstance(request.user, User) else None)
    except CalendarError:
        return render(request, "bookings/choose.html", context | {"problem": "calendar"})
    is_stale = choice.start is not None and not free.offers(choice.start)
    shown = replace(choice, day=free.day, start=None if is_stale else choice.start)
    context |= {"choice": shown, "free": free, "is_stale": is_stale}
    return render(request, "bookings/choose.html", context)


def list_kinds(offers: list[Offer]) -> list[Kind]:
    """Sum up the offers by type of class."""
    return [
        Kind(class_type, _hint(class_type, of_type), min(one.lowest_amount for one in of_type))
        for class_type in ClassType
        if (of_type := [one for one in offers if one.class_type == class_type])
    ]


def _hint(class_type: ClassType, offers: list[Offer]) -> str:
    if class_type == ClassType.INDIVIDUAL:
        return _("Vos y la profe, a tu ritmo.")
    people = max(offer.max_students for offer in offers)
    return ngettext(
        "Reservás vos e invitás con un código. Hasta %(people)d persona.",
        "Reservás vos e invitás con un código. Hasta %(people)d personas.",
        people,
    ) % {"people": people}


def _find_free_times(choice: Choice, user: User | None) -> FreeTimes:
    """Find the free times of the whole horizon at once: the next free day may be months away."""
    today = timezone.localdate()
    agenda = load_agenda(today, today + FARTHEST, user=user)
    free = agenda.find_free_slots(timedelta(minutes=choice.offer.minutes))
    day = choice.day or _first_free_day(free, choice.month)
    later = [one for one in free if day is None or one > day]
    month = build_month(
        month_of(day) if day else choice.month,
        free_slots=free,
        earliest=today,
        latest=timezone.localdate(agenda.rules.latest - timedelta.resolution),
    )
    return FreeTimes(
        month=replace(month, weeks=[week for week in month.weeks if week[-1].day >= today]),
        day=day,
        parts_of_day=split_day(free.get(day, [])) if day else [],
        next_free_day=min(later or free, default=None),
        is_anything_free=bool(free),
    )


def _first_free_day(free: dict[date, list[Period]], month: date) -> date | None:
    """Give the first free day of the month shown, and of the next ones in the current month."""
    in_month = [day for day in free if month_of(day) == month]
    if not in_month and month == month_of(timezone.localdate()):
        in_month = list(free)
    return min(in_month, default=None)


def split_day(slots: list[Period]) -> list[PartOfDay]:
    """Part a day's free times into morning, afternoon and evening; empty parts are left out."""
    parts = [
        PartOfDay(_("Mañana"), [s for s in slots if _hour(s) < NOON]),
        PartOfDay(_("Tarde"), [s for s in slots if NOON <= _hour(s) < EVENING]),
        PartOfDay(_("Noche"), [s for s in slots if _hour(s) >= EVENING]),
    ]
    return [part for part in parts if part.slots]


def name_utc_offset(moment: datetime) -> str:
    """Write how far the service's clocks are from UTC."""
    offset = timezone.localtime(moment).utcoffset() or timedelta()
    hours, minutes = divmod(abs(int(offset.total_seconds())) // 60, 60)
    sign = "−" if offset < timedelta() else "+"
    return f"UTC{sign}{hours}:{minutes:02d}" if minutes else f"UTC{sign}{hours}"


def _hour(slot: Period) -> int:
    return timezone.localtime(slot.start).hour
