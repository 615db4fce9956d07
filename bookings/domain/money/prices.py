"""The price list: its rows, the options that students book, and changes from a day on."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from itertools import groupby
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from bookings.domain.exceptions import (
    BookingError,
    NoPriceError,
    OfferOverError,
    OfferUsedError,
    PriceTooLowError,
)
from bookings.models import ClassStatus, ClassType, Offer, Price, PriceDecision, VirtualClass

# Guests join a group by its code, so a group is booked for two people at least.
FEWEST_STUDENTS = {ClassType.INDIVIDUAL: 1, ClassType.GROUP: 2}
ON_SALE = Q(offer=None) | Q(offer__is_active=True)
FROM_TOMORROW = _("Un precio nuevo puede regir recién desde mañana.")
# A price replaces another of the same case.
CASE = ("offer_id", "class_type", "minutes", "students_up_to")


@dataclass(frozen=True, slots=True)
class Quote:
    """Aware times; the price in centavos."""

    start: datetime
    end: datetime
    is_group_class: bool
    students_count: int
    price: int

    @property
    def class_type(self) -> ClassType:
        return ClassType.GROUP if self.is_group_class else ClassType.INDIVIDUAL

    def to_json(self) -> dict[str, Any]:
        """Equal quotes give equal values."""
        return {
            "start": self.start.timestamp(),
            "end": self.end.timestamp(),
            "is_group_class": self.is_group_class,
            "students_count": self.students_count,
            "price": self.price,
        }


@dataclass(frozen=True, slots=True)
class Tier:
    """Centavos for a whole class of ``fewest`` to ``most`` students."""

    fewest: int
    most: int
    amount: int

    @property
    def amount_each(self) -> int:
        """Return centavos per student of the largest class, rounded up to whole pesos."""
        return -(-self.amount // (self.most * 100)) * 100


@dataclass(frozen=True, slots=True)
class ClassOption:
    """Tiers begin with the smallest class. offer: None for the plain list."""

    class_type: ClassType
    minutes: int
    tiers: tuple[Tier, ...]
    offer: Offer | None = None

    @property
    def kind(self) -> str:
        return self.offer.key if self.offer else self.class_type.value

    @property
    def label(self) -> str | Promise:
        return self.offer.shown_name if self.offer else self.class_type.label

    @property
    def lowest_amount(self) -> int:
        return self.tiers[0].amount

    @property
    def max_students(self) -> int:
        return self.tiers[-1].most


def find_price(
    *, class_type: ClassType, minutes: int, students: int, offer: Offer | None = None
) -> int:
    """Return centavos. Raises NoPriceError."""
    prices = list_prices(offer=offer).filter(
        class_type=class_type, minutes=minutes, students_up_to__gte=students
    )
    price = prices.order_by("students_up_to", "-valid_from").first()
    if price is None:
        raise NoPriceError
    return price.amount


def find_list_price(quote: Quote, *, offer: Offer | None = None) -> int:
    """Return centavos. Raises NoPriceError."""
    minutes, rest = divmod(quote.end - quote.start, timedelta(minutes=1))
    if rest:
        raise NoPriceError
    students = max(quote.students_count, 1)
    return find_price(class_type=quote.class_type, minutes=minutes, students=students, offer=offer)


def judge_price(quote: Quote) -> PriceDecision:
    """Return WAITING for a class that the list lacks; if there is no list, only for a free one.

    Raises PriceTooLowError.
    """
    try:
        listed = find_list_price(quote)
    except NoPriceError:
        needs_decision = quote.price == 0 or list_prices().exists()
        return PriceDecision.WAITING if needs_decision else PriceDecision.NONE
    if quote.price < listed:
        raise PriceTooLowError
    return PriceDecision.NONE


def list_class_options(*, key: str | None = None) -> list[ClassOption]:
    """List the plain list by type and length, then the offers, in one query.

    key: of an unlisted offer to include.
    """
    options = []
    for (class_type, minutes, offer), prices in groupby(list_current_prices(), _option_of):
        if offer is None or offer.is_listed or offer.key == key:
            kind = ClassType(class_type)
            if tiers := _build_tiers(kind, prices):
                options.append(ClassOption(kind, minutes, tiers, offer))
    return options


def _option_of(price: Price) -> tuple[str, int, Offer | None]:
    return price.class_type, price.minutes, price.offer


def _build_tiers(class_type: ClassType, prices: Iterable[Price]) -> tuple[Tier, ...]:
    tiers, fewest = [], FEWEST_STUDENTS[class_type]
    for price in prices:
        if price.students_up_to >= fewest:
            tiers.append(Tier(fewest, price.students_up_to, price.amount))
            fewest = price.students_up_to + 1
    if class_type == ClassType.INDIVIDUAL:  # its row may allow more students
        return tuple(Tier(1, 1, tier.amount) for tier in tiers[:1])
    return tuple(tiers)


def list_prices_by_students(
    *, class_type: ClassType, minutes: int, offer: Offer | None = None
) -> dict[int, int]:
    """Return centavos by number of students; a group begins with 2."""
    rows = list_prices(offer=offer).filter(class_type=class_type, minutes=minutes)
    amounts = dict(rows.order_by("valid_from").values_list("students_up_to", "amount"))
    fewest = FEWEST_STUDENTS[class_type]
    return {
        students: amounts[min(limit for limit in amounts if limit >= students)]
        for students in range(fewest, max(amounts, default=0) + 1)
    }


def list_current_prices() -> list[Price]:
    """List the latest rows on sale, plain list first, by type, length and size."""
    rows = in_force().filter(ON_SALE).select_related("offer")
    latest = {_order_price(price): price for price in rows.order_by("valid_from")}
    return [latest[case] for case in sorted(latest)]


def _order_price(price: Price) -> tuple[tuple[int, int], bool, int, int]:
    offer = (price.offer.position, price.offer.pk) if price.offer else (-1, 0)
    is_group = price.class_type != ClassType.INDIVIDUAL
    return offer, is_group, price.minutes, price.students_up_to


def list_prices(*, offer: Offer | None = None) -> QuerySet[Price]:
    """List today's rows of the plain list, or of an active offer."""
    rows = in_force().filter(offer=offer)
    return rows.filter(offer__is_active=True) if offer else rows


def in_force(day: date | None = None) -> QuerySet[Price]:
    day = day or timezone.localdate()
    return Price.objects.filter(
        Q(valid_until__isnull=True) | Q(valid_until__gte=day), valid_from__lte=day
    )


def with_is_current(prices: QuerySet[Price]) -> QuerySet[Price]:
    """Add ``is_current`` to plain prices: True if in force, and no later row replaces it."""
    successors = list_prices().filter(
        class_type=OuterRef("class_type"),
        minutes=OuterRef("minutes"),
        students_up_to=OuterRef("students_up_to"),
        valid_from__gt=OuterRef("valid_from"),
    )
    in_force = list_prices().filter(pk=OuterRef("pk"))
    return prices.annotate(is_current=Exists(in_force) & ~Exists(successors))


@dataclass(frozen=True, slots=True)
class PriceLine:
    """price: on sale today, else the first that will be. planned: the later rows that replace it.

    after: an earlier price that holds again once ``price`` ends. sold: the number of classes ahead.
    """

    price: Price
    after: Price | None
    planned: list[Price]
    sold: int

    def find_planned(self, day: date) -> Price | None:
        return next((one for one in self.planned if one.valid_from == day), None)


def first_of_next_month(today: date) -> date:
    return (today.replace(day=1) + timedelta(days=31)).replace(day=1)


def list_price_lines() -> list[PriceLine]:
    """List plain prices, then those of offers, in two queries."""
    today = timezone.localdate()
    is_over = Q(valid_until__lt=today)
    rows = Price.objects.filter(ON_SALE).exclude(is_over).select_related("offer")
    cases: defaultdict[Any, list[Price]] = defaultdict(list)
    for row in rows.order_by("valid_from"):
        cases[_order_price(row)].append(row)
    found = [_split(cases[case], today) for case in sorted(cases)]
    sold = _count_sold(price for price, _after, _planned in found)
    return [PriceLine(price, after, planned, sold[price.pk]) for price, after, planned in found]


def _split(rows: list[Price], today: date) -> tuple[Price, Price | None, list[Price]]:
    begun = sum(row.valid_from <= today for row in rows)
    first = max(begun - 1, 0)
    price, planned = rows[first], rows[first + 1 :]
    end = price.valid_until
    is_replaced = any(end and row.valid_from <= end + timedelta(days=1) for row in planned)
    longer = [row for row in rows[:first] if end and (row.valid_until or date.max) > end]
    return price, longer[-1] if longer and not is_replaced else None, planned


def foresee_raise(*, percent: Decimal, unit: int, day: date) -> dict[int, int]:
    """Return new amounts from a day on, by the key of each line's price; nothing is stored.

    unit: the centavos to round to. The base is what would hold on the day without its own prices:
    doing it again for the same day corrects it. A price that ends before the day stays out. Raises
    BookingError as ``change_prices``.
    """
    _refuse_begun(day)
    rows = in_force(day).filter(valid_from__lt=day).order_by("valid_from")
    base = {_case_of(row): row.amount for row in rows}
    raised = {}
    for price in (line.price for line in list_price_lines()):
        old = base.get(_case_of(price), 0)
        if (amount := raise_amount(old, percent=percent, unit=unit)) != old:
            raised[price.pk] = amount
    return raised


def raise_amount(amount: int, *, percent: Decimal, unit: int) -> int:
    """Return centavos, rounded to the nearest ``unit``, never below ``amount``."""
    exact = amount * (100 + percent) / (100 * unit)
    return max(amount, int(exact.quantize(Decimal(1), ROUND_HALF_UP)) * unit)


@transaction.atomic
def change_prices(*, amounts: Mapping[int, int], day: date) -> list[Price]:
    """Store new amounts from a day on; return the new or changed rows.

    amounts: centavos, by the key of the price to replace, whose last day they keep. Raises
    BookingError unless the day is ahead.
    """
    _refuse_begun(day)
    changed = []
    for old in Price.objects.filter(pk__in=amounts).order_by("pk"):
        case: dict[str, Any] = dict(zip(CASE, _case_of(old), strict=True))
        known = in_force(day).filter(**case).order_by("valid_from").last()
        if known is None or amounts[old.pk] != known.amount:
            amount = {"amount": amounts[old.pk]}
            ends = {"valid_until": known.valid_until} if known else {}
            row, _is_new = Price.objects.update_or_create(
                **case, valid_from=day, defaults=amount, create_defaults=amount | ends
            )
            changed.append(row)
    return changed


def _refuse_begun(day: date) -> None:
    if day <= timezone.localdate():
        raise BookingError(FROM_TOMORROW)


def _case_of(price: Price) -> tuple[int | None, str, int, int]:
    return price.offer_id, price.class_type, price.minutes, price.students_up_to


def _count_sold(prices: Iterable[Price]) -> Counter[int]:
    sizes: defaultdict[tuple[int | None, str, timedelta], dict[int, int]] = defaultdict(dict)
    for price in prices:
        length = timedelta(minutes=price.minutes)
        sizes[price.offer_id, price.class_type, length][price.students_up_to] = price.pk
    ahead = VirtualClass.objects.ahead(timezone.now())
    fields = ("offer_id", "class_type", "start_time", "end_time", "max_participants")
    sold: Counter[int] = Counter()
    for offer_id, class_type, start, end, places in ahead.values_list(*fields):
        known = sizes[offer_id, class_type, end - start]
        if fitting := [size for size in known if size >= places]:
            sold[known[min(fitting)]] += 1
    return sold


def refuse_second_use(user: User, offer: Offer | None) -> None:
    if offer and offer.once_per_person and _list_uses(user).filter(offer=offer).exists():
        raise OfferUsedError


def list_bookable_options(
    user: User | AnonymousUser, asked: str
) -> tuple[list[ClassOption], BookingError | None]:
    """Return the bookable options, and why ``asked`` is not one of them.

    asked: a ClassType, an offer's key, or empty.
    """
    options = list_class_options(key=asked)
    used = find_used_offers(user, options) if isinstance(user, User) else set()
    bookable = [one for one in options if not (one.offer and one.offer.pk in used)]
    if not asked or asked in ClassType or asked in {one.kind for one in bookable}:
        return bookable, None
    is_used = asked in {one.kind for one in options}
    return bookable, OfferUsedError() if is_used else OfferOverError()


def find_used_offers(user: User, options: Iterable[ClassOption | Price]) -> set[int]:
    """Return the keys of used offers, in at most one query."""
    once = {one.offer.pk for one in options if one.offer and one.offer.once_per_person}
    if not once:
        return set()
    return set(_list_uses(user).filter(offer__in=once).values_list("offer_id", flat=True))


def _list_uses(user: User) -> QuerySet[VirtualClass]:
    booked = VirtualClass.objects.filter(booked_by=user).exclude(status=ClassStatus.CANCELLED)
    return booked.without_lapsed(timezone.now())
