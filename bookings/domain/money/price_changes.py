"""Changes of prices from a day on."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from bookings.domain.exceptions import BookingError
from bookings.domain.money.prices import in_force, list_current_prices
from bookings.domain.queries import only_ahead
from bookings.models import Price, VirtualClass

FROM_TOMORROW = _("Un precio nuevo puede regir recién desde mañana.")
# A price replaces another of the same case.
CASE = ("offer_id", "class_type", "minutes", "students_up_to")


@dataclass(frozen=True, slots=True)
class PriceLine:
    """planned: the row that replaces ``price`` on the day. sold: the number of classes ahead."""

    price: Price
    planned: Price | None
    sold: int


def first_of_next_month(today: date) -> date:
    return (today.replace(day=1) + timedelta(days=31)).replace(day=1)


def list_price_lines(day: date) -> list[PriceLine]:
    """List plain prices, then those of offers, in three queries."""
    prices = list_current_prices()
    planned = {_case_of(one): one for one in Price.objects.filter(valid_from=day)}
    sold = _count_sold(prices)
    return [PriceLine(one, planned.get(_case_of(one)), sold[one.pk]) for one in prices]


@transaction.atomic
def change_prices(*, amounts: Mapping[int, int], day: date) -> list[Price]:
    """Store new amounts from a day on; return the new or changed rows.

    amounts: centavos, by the key of the price to replace. Raises BookingError unless the day is
    ahead.
    """
    if day <= timezone.localdate():
        raise BookingError(FROM_TOMORROW)
    changed = []
    for old in Price.objects.filter(pk__in=amounts).order_by("pk"):
        case: dict[str, Any] = dict(zip(CASE, _case_of(old), strict=True))
        known = in_force(day).filter(**case).order_by("valid_from").last()
        if known is None or amounts[old.pk] != known.amount:
            amount = {"amount": amounts[old.pk]}
            row, _is_new = Price.objects.update_or_create(**case, valid_from=day, defaults=amount)
            changed.append(row)
    return changed


def _case_of(price: Price) -> tuple[int | None, str, int, int]:
    return price.offer_id, price.class_type, price.minutes, price.students_up_to


def _count_sold(prices: Iterable[Price]) -> Counter[int]:
    sizes: defaultdict[tuple[int | None, str, timedelta], dict[int, int]] = defaultdict(dict)
    for price in prices:
        length = timedelta(minutes=price.minutes)
        sizes[price.offer_id, price.class_type, length][price.students_up_to] = price.pk
    ahead = only_ahead(VirtualClass.objects.all())
    fields = ("offer_id", "class_type", "start_time", "end_time", "max_participants")
    sold: Counter[int] = Counter()
    for offer_id, class_type, start, end, places in ahead.values_list(*fields):
        known = sizes[offer_id, class_type, end - start]
        if fitting := [size for size in known if size >= places]:
            sold[known[min(fitting)]] += 1
    return sold
