"""The price list."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import date, timedelta

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from bookings.domain.exceptions import NoPriceError, PriceTooLowError
from bookings.domain.money.quotes import Quote
from bookings.models import ClassType, Price, PriceDecision

# Guests join a group by its code, so a group is booked for two people at least.
FEWEST_STUDENTS = {ClassType.INDIVIDUAL: 1, ClassType.GROUP: 2}


@dataclass(frozen=True, slots=True)
class Tier:
    """The price, in centavos, of a whole class with ``fewest`` to ``most`` students."""

    fewest: int
    most: int
    amount: int

    @property
    def amount_each(self) -> int:
        """Return each student's share in centavos, in whole pesos, of the largest such class."""
        return -(-self.amount // (self.most * 100)) * 100


@dataclass(frozen=True, slots=True)
class ClassOption:
    """A type and length of class, in minutes, with its tiers: the smallest class first."""

    class_type: ClassType
    minutes: int
    tiers: tuple[Tier, ...]

    @property
    def lowest_amount(self) -> int:
        """Return the centavos of the smallest class."""
        return self.tiers[0].amount

    @property
    def max_students(self) -> int:
        return self.tiers[-1].most


def find_price(*, class_type: ClassType, minutes: int, students: int) -> int:
    """Return today's price in centavos. Raises NoPriceError."""
    prices = list_prices().filter(
        class_type=class_type, minutes=minutes, students_up_to__gte=students
    )
    price = prices.order_by("students_up_to", "-valid_from").first()
    if price is None:
        raise NoPriceError
    return price.amount


def find_list_price(quote: Quote) -> int:
    """Return today's price of a quote, in centavos. Raises NoPriceError."""
    minutes, rest = divmod(quote.end - quote.start, timedelta(minutes=1))
    if rest:
        raise NoPriceError
    students = max(quote.students_count, 1)
    return find_price(class_type=quote.class_type, minutes=minutes, students=students)


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


def list_class_options() -> list[ClassOption]:
    """List today's offers by type and length, in one query."""
    current: defaultdict[tuple[str, int], dict[int, int]] = defaultdict(dict)
    rows = list_prices().order_by("valid_from")
    for class_type, minutes, students, amount in rows.values_list(
        "class_type", "minutes", "students_up_to", "amount"
    ):
        current[class_type, minutes][students] = amount
    return [
        ClassOption(ClassType(class_type), minutes, tiers)
        for (class_type, minutes), amounts in sorted(
            current.items(), key=lambda item: (item[0][0] != ClassType.INDIVIDUAL, item[0][1])
        )
        if (tiers := _build_tiers(ClassType(class_type), amounts))
    ]


def _build_tiers(class_type: ClassType, amounts: dict[int, int]) -> tuple[Tier, ...]:
    """amounts: centavos by the number of students up to which they are the price."""
    tiers, fewest = [], FEWEST_STUDENTS[class_type]
    for most in sorted(amounts):
        if most >= fewest:
            tiers.append(Tier(fewest, most, amounts[most]))
            fewest = most + 1
    if class_type == ClassType.INDIVIDUAL:  # its row may name more students, who never come
        return tuple(Tier(1, 1, tier.amount) for tier in tiers[:1])
    return tuple(tiers)


def list_prices_by_students(*, class_type: ClassType, minutes: int) -> dict[int, int]:
    """Return today's price in centavos by number of students; a group begins with 2."""
    rows = list_prices().filter(class_type=class_type, minutes=minutes).order_by("valid_from")
    amounts = dict(rows.values_list("students_up_to", "amount"))
    fewest = FEWEST_STUDENTS[class_type]
    return {
        students: amounts[min(limit for limit in amounts if limit >= students)]
        for students in range(fewest, max(amounts, default=0) + 1)
    }


def list_current_prices() -> list[Price]:
    """List the rows in force that no later row replaces: by type, length and size."""
    latest = {
        (price.class_type != ClassType.INDIVIDUAL, price.minutes, price.students_up_to): price
        for price in list_prices().order_by("valid_from")
    }
    return [latest[case] for case in sorted(latest)]


def list_prices(day: date | None = None) -> QuerySet[Price]:
    """List the rows in force on a day. day: today, unless it is given."""
    day = day or timezone.localdate()
    return Price.objects.filter(
        Q(valid_until__isnull=True) | Q(valid_until__gte=day), valid_from__lte=day
    )


def with_is_current(prices: QuerySet[Price]) -> QuerySet[Price]:
    """Add ``is_current``: True if the row is in force and no later row replaces it."""
    successors = list_prices().filter(
        class_type=OuterRef("class_type"),
        minutes=OuterRef("minutes"),
        students_up_to=OuterRef("students_up_to"),
        valid_from__gt=OuterRef("valid_from"),
    )
    in_force = list_prices().filter(pk=OuterRef("pk"))
    return prices.annotate(is_current=Exists(in_force) & ~Exists(successors))
