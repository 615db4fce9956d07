"""The teacher's day, week and tasks."""

from dataclasses import astuple, dataclass
from datetime import date, datetime, timedelta

from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from bookings.availability.agenda import load_agenda
from bookings.availability.weeks import monday_of
from bookings.domain.desk.messages import list_classes_of_week
from bookings.domain.desk.own_page import load_seller
from bookings.domain.money.takings import count_payments_to_review
from bookings.domain.places.waiting_list import list_open_offers
from bookings.domain.queries import list_awaiting_payment, list_undecided
from bookings.models import (
    BankTransfer,
    ClassStatus,
    Purchase,
    Refund,
    VirtualClass,
)
from bookings.payments.backend import pays_online
from calendar_sync import CalendarError

# A day and its classes in order.
DayClasses = tuple[date, list[VirtualClass]]


@dataclass(frozen=True, slots=True)
class TeacherDay:
    """Today's classes, and the number of this week's.

    ahead: the days until Sunday. earlier: this week's days with classes, latest first. free_time:
    left of this week's hours; None if the calendar cannot be read.
    """

    day: date
    next_class: VirtualClass | None
    classes: list[VirtualClass]
    week_classes: int
    ahead: list[DayClasses]
    earlier: list[DayClasses]
    free_time: timedelta | None


@dataclass(frozen=True, slots=True)
class Tasks:
    """The number of each task.

    undecided: classes without a list price. offered: places offered to the waiting list. transfers:
    announced. lacks_seller: people pay, and no page says who sells, as the law wants.
    """

    paid_not_scheduled: int
    undecided: int
    to_review: int
    awaiting_payment: int
    offered: int
    transfers: int
    to_return: int
    lacks_seller: bool

    def __bool__(self) -> bool:
        return any(astuple(self))


def load_teacher_day() -> TeacherDay:
    """Load in nine queries, and from the calendar's cache."""
    now = timezone.now()
    today = timezone.localdate(now)
    monday = monday_of(today)
    sunday = monday + timedelta(days=6)
    given = list_classes_of_week(monday).select_related("booked_by", "offer")
    week = _group_by_day(given.order_by("start_time", "id"), monday)
    return TeacherDay(
        day=today,
        next_class=_find_next(now),
        classes=week[today],
        week_classes=sum(map(len, week.values())),
        ahead=[(day, classes) for day, classes in week.items() if day > today],
        earlier=[(day, week[day]) for day in reversed(week) if day < today and week[day]],
        free_time=_find_free_time(today, sunday, now),
    )


def count_tasks(*, sees_payments: bool) -> Tasks:
    """Count in six queries; payments only for a person who may see them."""
    money = {
        "transfers": BankTransfer.objects.announced(),
        "to_return": Refund.objects.by_hand().open(),
    }
    paid = Purchase.objects.classes().paid().filter(virtual_class=OuterRef("pk"))
    pending = VirtualClass.objects.filter(status=ClassStatus.PENDING)
    return Tasks(
        **{key: rows.count() if sees_payments else 0 for key, rows in money.items()},
        paid_not_scheduled=pending.filter(Exists(paid)).count(),
        undecided=list_undecided().count(),
        to_review=count_payments_to_review() if sees_payments else 0,
        awaiting_payment=list_awaiting_payment().count(),
        offered=list_open_offers(timezone.now()).count(),
        lacks_seller=_lacks_seller(),
    )


def _lacks_seller() -> bool:
    seller = load_seller()
    is_named = seller["seller_name"] and seller["cuit"]
    return bool(pays_online() and not is_named)


def _group_by_day(classes: QuerySet[VirtualClass], monday: date) -> dict[date, list[VirtualClass]]:
    days: dict[date, list[VirtualClass]] = {monday + timedelta(days=one): [] for one in range(7)}
    for virtual_class in classes:
        days[timezone.localdate(virtual_class.start_time)].append(virtual_class)
    return days


def _find_next(now: datetime) -> VirtualClass | None:
    rows = VirtualClass.objects.filter(status=ClassStatus.SCHEDULED).not_over(now)
    return rows.select_related("booked_by", "offer").order_by("start_time", "id").first()


def _find_free_time(first_day: date, last_day: date, now: datetime) -> timedelta | None:
    try:
        return load_agenda(first_day, last_day).sum_free_time(since=now)
    except CalendarError:
        return None
