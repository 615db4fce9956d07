"""The teacher's offers."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from django.db import transaction
from django.db.models import Count, Max, ProtectedError, Q
from django.utils import timezone

from bookings.domain.exceptions import BookingError
from bookings.domain.money.prices import in_force
from bookings.models import Offer, Price

SOLD_FIRST = ("-is_active", "position", "id")
# Minutes, and the number of students up to which the price counts.
Case = tuple[int, int]
FROM_TODAY = "Los precios pueden regir desde hoy en adelante."
ALREADY_SOLD = (
    "Ya hubo reservas de esta oferta, que la nombran: no se puede borrar. Si no la das más, "
    "dejá de venderla."
)


@dataclass(frozen=True, slots=True)
class OfferPrice:
    """amount: today's centavos. planned: the next row."""

    minutes: int
    students_up_to: int
    amount: int | None
    planned: Price | None

    @property
    def case(self) -> Case:
        return self.minutes, self.students_up_to


@dataclass(frozen=True, slots=True)
class OfferCard:
    """classes: the number booked. can_rise: True if an active offer comes before it."""

    offer: Offer
    prices: list[OfferPrice]
    classes: int
    can_rise: bool
    can_sink: bool


def list_offers() -> list[OfferCard]:
    """List the offers in order, inactive ones last, in two queries."""
    offers = Offer.objects.annotate(booked=Count("classes")).prefetch_related("prices")
    ordered = list(offers.order_by(*SOLD_FIRST))
    sold = sum(one.is_active for one in ordered)
    return [
        OfferCard(
            offer=one,
            prices=list_offer_prices(one),
            classes=one.booked,
            can_rise=0 < place < sold,
            can_sink=place + 1 < sold,
        )
        for place, one in enumerate(ordered)
    ]


def list_offer_prices(offer: Offer) -> list[OfferPrice]:
    """List the prices by length and size, in one query."""
    today = timezone.localdate()
    rows: dict[Case, list[Price]] = {}
    for row in sorted(offer.prices.all(), key=lambda one: one.valid_from):
        if row.valid_until is None or row.valid_until >= today:
            rows.setdefault((row.minutes, row.students_up_to), []).append(row)
    prices = []
    for (minutes, students), of_case in sorted(rows.items()):
        current = [one.amount for one in of_case if one.valid_from <= today]
        planned = next((one for one in of_case if one.valid_from > today), None)
        amount = current[-1] if current else None
        prices.append(OfferPrice(minutes, students, amount, planned))
    return prices


@transaction.atomic
def save_offer(offer: Offer, *, changes: Mapping[Case, int | None], day: date) -> None:
    """Store an offer, a new one last, and change its prices from a day on.

    changes: centavos by case; None ends a case. Raises BookingError for a past day.
    """
    if changes and day < timezone.localdate():
        raise BookingError(FROM_TODAY)
    if offer.pk is None:
        last = Offer.objects.aggregate(last=Max("position"))["last"]
        offer.position = 0 if last is None else last + 1
    offer.save()
    for case, amount in changes.items():
        if amount is None:
            _end_price(offer, case, day)
        else:
            _set_price(offer, case, amount, day)


def _end_price(offer: Offer, case: Case, day: date) -> None:
    rows = offer.prices.filter(minutes=case[0], students_up_to=case[1])
    rows.filter(valid_from__gte=day).delete()
    lasting = Q(valid_until=None) | Q(valid_until__gte=day)
    rows.filter(lasting).update(valid_until=day - timedelta(days=1))


def _set_price(offer: Offer, case: Case, amount: int, day: date) -> None:
    minutes, students = case
    rows = in_force(day).filter(offer=offer, minutes=minutes, students_up_to=students)
    known = rows.order_by("valid_from").last()
    if known is None or known.amount != amount:
        offer.prices.update_or_create(
            class_type=offer.class_type,
            minutes=minutes,
            students_up_to=students,
            valid_from=day,
            defaults={"amount": amount, "valid_until": None},
        )


def set_listed(offer: Offer, *, is_listed: bool) -> None:
    offer.is_listed = is_listed
    offer.save(update_fields=["is_listed"])


def set_active(offer: Offer, *, is_active: bool) -> None:
    offer.is_active = is_active
    offer.save(update_fields=["is_active"])


@transaction.atomic
def move_offer(offer: Offer, *, up: bool) -> None:
    offers = list(Offer.objects.select_for_update().order_by(*SOLD_FIRST))
    place = offers.index(offer)
    other = place - 1 if up else place + 1
    if 0 <= other < len(offers):
        offers[place], offers[other] = offers[other], offers[place]
    for position, one in enumerate(offers):
        one.position = position
    Offer.objects.bulk_update(offers, ["position"])


def delete_offer(offer: Offer) -> None:
    """Raise BookingError if it was ever booked."""
    try:
        offer.delete()
    except ProtectedError:
        raise BookingError(ALREADY_SOLD) from None
