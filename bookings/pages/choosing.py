"""``/inicio/reservar``: type and length, day, time. The choice lives in the address."""

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
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
from bookings.domain.checkout.holds import hold_slot
from bookings.domain.exceptions import BookingError, SlotTakenError
from bookings.domain.money.prices import Offer, list_offers
from bookings.models import ClassType
from bookings.pages.choice import Choice, read_choice
from bookings.pages.free_times import find_free_times
from calendar_sync import CalendarError
from config.lib.wall_time import find_offset


@dataclass(frozen=True, slots=True)
class Kind:
    """A type of class as its card shows it. lowest_amount: centavos, of its cheapest length."""

    class_type: ClassType
    hint: str
    lowest_amount: int


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
        return redirect(choice.address)  # without #horarios: the message has the focus
    try:
        hold = hold_slot(
            user=request.user,
            start=choice.start,
            minutes=choice.offer.minutes,
            class_type=choice.offer.class_type,
        )
    except (SlotTakenError, CalendarError):
        return redirect(choice.address)  # the page sees and says so itself
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
        "utc_offset": name_utc_offset(choice.day),
    }
    try:
        free = find_free_times(
            choice,
            length=timedelta(minutes=choice.offer.minutes),
            user=request.user if isinstance(request.user, User) else None,
        )
    except CalendarError:
        return render(request, "bookings/choose.html", context | {"problem": "calendar"})
    is_stale = free.has_lost(choice.start)
    shown = replace(choice, day=free.day, start=None if is_stale else choice.start)
    context |= {"choice": shown, "free": free, "is_stale": is_stale}
    context["utc_offset"] = name_utc_offset(free.day)
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


def name_utc_offset(day: date | None) -> str:
    """Write how far the service's clocks are from UTC on a day, by default today."""
    offset = find_offset(datetime.combine(day or timezone.localdate(), time(12), tzinfo=UTC))
    hours, minutes = divmod(abs(offset), 60)
    sign = "−" if offset < 0 else "+"
    return f"UTC{sign}{hours}:{minutes:02d}" if minutes else f"UTC{sign}{hours}"
