"""The teacher's day, week and tasks."""

from dataclasses import astuple, dataclass
from datetime import date, datetime, timedelta

from django.db.models import Exists, OuterRef
from django.utils import timezone

from accounts.models import User
from bookings.availability.agenda import (
    list_days,
    load_agenda,
    load_hours,
    whole_days,
)
from bookings.availability.weeks import list_classes_of_days, monday_of
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


@dataclass(frozen=True, slots=True)
class DayClasses:
    """A day and its classes in order. closure: why it is closed; None if it is not."""

    day: date
    classes: list[VirtualClass]
    closure: str | None


@dataclass(frozen=True, slots=True)
class TeacherDay:
    """Today's classes, and the number of this week's, unpaid ones too.

    ahead: the days until Sunday. earlier: this week's days with classes, latest first. free_time:
    left of this week's hours; None if the calendar cannot be read.
    """

    today: DayClasses
    next_class: VirtualClass | None
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

    @property
    def is_urgent(self) -> bool:
        """True if people or their money wait for her."""
        waits = self.paid_not_scheduled, self.undecided, self.to_review
        return any((*waits, self.transfers, self.to_return))


def load_teacher_day() -> TeacherDay:
    """Load in a fixed number of queries, and from the calendar's cache."""
    now = timezone.now()
    today = timezone.localdate(now)
    monday = monday_of(today)
    sunday = monday + timedelta(days=6)
    week = _load_days(monday, sunday, now)
    return TeacherDay(
        today=week[today.weekday()],
        next_class=_find_next(now),
        week_classes=sum(len(one.classes) for one in week),
        ahead=week[today.weekday() + 1 :],
        earlier=[one for one in reversed(week[: today.weekday()]) if one.classes],
        free_time=_find_free_time(today, sunday, now),
    )


def list_people_of_tomorrow() -> list[tuple[User, VirtualClass]]:
    """List who has a place in a class of tomorrow, in two queries."""
    tomorrow = timezone.localdate() + timedelta(days=1)
    whole = whole_days(tomorrow, tomorrow)
    rows = VirtualClass.objects.filter(
        status=ClassStatus.SCHEDULED, start_time__gte=whole.start, start_time__lt=whole.end
    ).prefetch_related("activities__user")
    return [
        (part.user, row)
        for row in rows.order_by("start_time", "id")
        for part in row.activities.all()
        if not part.user.is_staff
    ]


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


def _load_days(first: date, last: date, now: datetime) -> list[DayClasses]:
    classes: dict[date, list[VirtualClass]] = {day: [] for day in list_days(first, last)}
    for one in list_classes_of_days(whole_days(first, last), now).order_by("start_time", "id"):
        if (day := timezone.localdate(one.start_time)) in classes:
            classes[day].append(one)
    hours = load_hours(first, last)
    open_days = {timezone.localdate(opening.start) for opening in hours.openings}
    closed = {day: why for day, why in hours.closed.items() if day not in open_days}
    return [DayClasses(day, rows, closed.get(day)) for day, rows in classes.items()]


def _find_next(now: datetime) -> VirtualClass | None:
    rows = VirtualClass.objects.filter(status=ClassStatus.SCHEDULED).not_over(now)
    about = "booked_by", "offer", "open_class"
    return rows.select_related(*about).order_by("start_time", "id").first()


def _find_free_time(first_day: date, last_day: date, now: datetime) -> timedelta | None:
    try:
        return load_agenda(first_day, last_day).sum_free_time(since=now)
    except CalendarError:
        return None
