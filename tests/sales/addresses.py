"""What histories store before they begin, and the only reads of models: addresses of pages."""

import random
from datetime import date, datetime, time

from django.db.models import Q, QuerySet

from accounts.models import User
from bookings.models import (
    BankTransfer,
    BookingRules,
    ClassLink,
    Payment,
    Price,
    Purchase,
    Refund,
    VirtualClass,
    WeeklyHours,
)
from bookings.models.sales.discount_code import DiscountCode
from tests.sales.books import Sale

HOUR_PRICE, PLACE_PRICE = 1_250_050, 800_000
RETURNS = "/admin/dinero/devolver/"


def prepare(dice: random.Random) -> None:
    """Store hours, prices, codes and rules."""
    for day in range(7):
        WeeklyHours.objects.create(weekday=day, start=time(8), end=time(22))
    since = date(2026, 1, 1)
    Price.objects.create(class_type="individual", minutes=60, amount=HOUR_PRICE, valid_from=since)
    DiscountCode.objects.create(code="MENOS10", percent=10, once_per_person=False)
    DiscountCode.objects.create(code="UNAVEZ", amount=123_456, max_uses=1)
    DiscountCode.objects.create(code="GRATIS", percent=100, max_uses=1)
    BookingRules.objects.update_or_create(
        pk=BookingRules.SINGLETON,
        defaults={
            "transfer_alias": "clases.con.paula",
            "transfer_holder": "Paula Ferreyra",
            "minimum_notice_minutes": 60,
            "transfer_hours": dice.choice([2, 24, 72]),
        },
    )


def find_kind() -> str:
    """Return what the panel's form calls an hour alone."""
    return f"{Price.objects.get().pk}"


def choose_price(dice: random.Random, listed: int) -> tuple[int, dict[str, str]]:
    """Return the price that a student sees, and what they type for it."""
    code = dice.choice(["", "", "", "MENOS10", "UNAVEZ", "GRATIS"])
    off = {"MENOS10": listed // 10, "UNAVEZ": 123_456, "GRATIS": listed}.get(code, 0)
    return listed - off, {"code": code}


def find_class(person: User, start: datetime) -> str:
    """Return the id of the class that a person booked."""
    booked = VirtualClass.objects.filter(booked_by=person, start_time=start)
    return str(booked.order_by("created_at").values_list("pk", flat=True).last() or "")


def find_new_class(start: datetime, known: set[str]) -> tuple[str, User | None]:
    """Return the id and the person of a class that begins then and is not known."""
    classes = VirtualClass.objects.filter(start_time=start, open_class=None)
    for one in classes.exclude(pk__in=known - {""}).select_related("booked_by"):
        return str(one.pk), one.booked_by
    return "", None


def find_place(person: User, class_id: str) -> str:
    """Return the id of the latest place of a person in an open class."""
    places = Purchase.objects.filter(person=person, kind="place", virtual_class=class_id)
    return str(places.order_by("created_at").values_list("pk", flat=True).last() or "")


def find_payment(sale: Sale) -> str:
    payments = Payment.objects.filter(preference_id=sale.preference)
    return str(payments.values_list("pk", flat=True).first() or "")


def find_preference(sale: Sale) -> str:
    payments = Payment.objects.filter(~Q(preference_id=None))
    found = payments.filter(purchase__in=_list_purchases(sale))
    return found.values_list("preference_id", flat=True).last() or ""


def _list_purchases(sale: Sale) -> QuerySet[Purchase]:
    if not sale.key:  # paid, and not booked
        return Purchase.objects.filter(payment__preference_id=sale.preference)
    key = {"virtual_class" if sale.kind == "class" else "pk": sale.key}
    return Purchase.objects.filter(kind=sale.kind, **key)


def find_returns(sale: Sale) -> list[str]:
    """Return the page of what the teacher has to return, as often as it is of a sale."""
    return [RETURNS] * Refund.objects.by_hand().open().filter(
        purchase__in=_list_purchases(sale)
    ).count()


def find_rows(sale: Sale) -> set[str]:
    """Return the ids of everything that steps of the panel may be about."""
    payments = Payment.objects.filter(preference_id=sale.preference or None)
    refunds = Refund.objects.filter(purchase__in=_list_purchases(sale))
    transfers = BankTransfer.objects.filter(operation_number__in=sale.numbers)
    rows = [*payments, *refunds, *transfers]
    return {sale.class_id, sale.key, *(str(row.pk) for row in rows)}


def find_link(sale: Sale) -> str:
    links = ClassLink.objects.filter(pk=sale.class_id or None)
    return next((link.token for link in links), "")
