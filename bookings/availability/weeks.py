"""The teacher's week, and a month, laid out for pages by the wall clock."""

from calendar import Calendar
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from itertools import count
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from bookings.availability.agenda import (
    Hours,
    list_days,
    load_hours,
    read_upcoming_events,
    whole_days,
)
from bookings.availability.slots import Period, merge, subtract
from bookings.models import ClassStatus, Hold, Purchase, VirtualClass
from bookings.money_state import with_class_money
from calendar_sync import CalendarError

ROWS_PER_HOUR = 4
MINUTES_PER_ROW = 60 // ROWS_PER_HOUR
ROWS_PER_DAY = 24 * ROWS_PER_HOUR
# What an empty week shows.
NINE_TO_SIX = range(9 * ROWS_PER_HOUR, 18 * ROWS_PER_HOUR)
# Most blocks side by side; the page counts the others.
MAX_LANES = 3


class EntryKind(StrEnum):
    """The first in order gets the first lane."""

    SCHEDULED = "scheduled"
    COMPLETED = "completed"
    PAID = "paid"
    PENDING = "pending"
    HOLD = "hold"
    APPOINTMENT = "appointment"


CLASS_KINDS = {EntryKind.SCHEDULED, EntryKind.COMPLETED, EntryKind.PAID, EntryKind.PENDING}


@dataclass(frozen=True, slots=True)
class Entry:
    kind: EntryKind
    period: Period
    subject: object = None


@dataclass
class Part:
    """rows: its place in the column. start, end: local, cut at midnight."""

    rows: range
    start: datetime
    end: datetime


@dataclass
class Block(Part):
    """lane: position beside others, from 1."""

    entry: Entry
    lane: int
    lanes: int = 0

    @property
    def has_room(self) -> bool:
        return self.lane <= MAX_LANES

    @property
    def is_short(self) -> bool:
        """True if it has room for one line."""
        return len(self.rows) <= ROWS_PER_HOUR // 2

    @property
    def is_all_day(self) -> bool:
        return self.start.time() == time(0) and self.end.date() > self.start.date()


@dataclass(frozen=True, slots=True)
class WeekDay:
    """closure: why the weekly hours do not count. blocked: weekly hours without an opening.

    free and blocked are cut at full hours and lack the past.
    """

    day: date
    closure: str | None
    openings: list[Part]
    blocks: list[Block]
    free: list[Part]
    blocked: list[Part]

    @property
    def is_closed(self) -> bool:
        return self.closure is not None and not self.openings

    @property
    def classes(self) -> int:
        return sum(block.entry.kind in CLASS_KINDS for block in self.blocks)

    @property
    def listed(self) -> list[tuple[str, Part]]:
        rows: list[tuple[str, Part]] = [("block", one) for one in self.blocks]
        rows += [("free", one) for one in self.free] + [("blocked", one) for one in self.blocked]
        return sorted(rows, key=lambda row: row[1].start)

    @property
    def without_room(self) -> int:
        return sum(not block.has_room for block in self.blocks)


@dataclass(frozen=True, slots=True)
class Week:
    days: list[WeekDay]
    hours: list[tuple[int, range]]
    previous: date
    following: date


def monday_of(day: date) -> date:
    return day - timedelta(days=day.weekday())


def build_week(monday: date, *, hours: Hours, entries: Sequence[Entry], now: datetime) -> Week:
    """An entry of a whole day does not extend the rows."""
    days = list_days(monday, monday + timedelta(days=6))
    openings, taken = merge(hours.openings), [entry.period for entry in entries]
    over = Period(datetime.min.replace(tzinfo=UTC), _next_quarter(now))
    free = subtract(openings, [*taken, over])
    blocked = subtract(hours.weekly, [*openings, *taken, over])
    frame = _find_frame(part for day in days for part in _cut([*openings, *blocked, *taken], day))

    def place(periods: Iterable[Period]) -> list[Part]:
        return [Part(_place(part, frame), part.start, part.end) for part in periods]

    return Week(
        days=[
            WeekDay(
                day=day,
                closure=hours.closed.get(day),
                openings=place(_cut(openings, day)),
                blocks=_lay_out(entries, day, frame),
                free=place(_cut_hours(_cut(free, day))),
                blocked=place(_cut_hours(_cut(blocked, day))),
            )
            for day in days
        ],
        hours=[
            (row // ROWS_PER_HOUR, range(first, first + ROWS_PER_HOUR))
            for first, row in enumerate(frame)
            if row % ROWS_PER_HOUR == 0
        ],
        previous=monday - timedelta(days=7),
        following=monday + timedelta(days=7),
    )


def _cut(periods: Iterable[Period], day: date) -> list[Period]:
    whole = whole_days(day, day)
    return [
        Period(
            timezone.localtime(max(period.start, whole.start)),
            timezone.localtime(min(period.end, whole.end)),
        )
        for period in periods
        if period.overlaps(whole)
    ]


def _next_quarter(now: datetime) -> datetime:
    past = now - now.replace(minute=0, second=0, microsecond=0)
    return now + -past % timedelta(minutes=MINUTES_PER_ROW)


def _cut_hours(parts: Iterable[Period]) -> Iterator[Period]:
    """Cut local parts at full hours; drop pieces below a quarter of an hour."""
    for part in parts:
        start = part.start
        while start < part.end:
            full_hour = start.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
            end = min(full_hour, part.end)
            if end - start >= timedelta(minutes=MINUTES_PER_ROW):
                yield Period(start, end)
            start = end


def _row(part: Period, moment: datetime) -> int:
    if moment.date() > part.start.date():
        return ROWS_PER_DAY
    return round((moment.hour * 60 + moment.minute) / MINUTES_PER_ROW)


def _find_frame(parts: Iterable[Period]) -> range:
    """Return the rows to show, in whole hours."""
    rows = [(_row(part, part.start), _row(part, part.end)) for part in parts]
    rows = [one for one in rows if one != (0, ROWS_PER_DAY)]
    if not rows:
        return NINE_TO_SIX
    top = min(min(start for start, _ in rows) // ROWS_PER_HOUR, 23)
    bottom = -(-max(end for _, end in rows) // ROWS_PER_HOUR)
    return range(top * ROWS_PER_HOUR, max(bottom, top + 1) * ROWS_PER_HOUR)


def _place(part: Period, frame: range) -> range:
    first = min(max(_row(part, part.start), frame.start), frame.stop - 1)
    end = min(max(_row(part, part.end), first + 1), frame.stop)
    return range(first - frame.start, end - frame.start)


def _lay_out(entries: Iterable[Entry], day: date, frame: range) -> list[Block]:
    blocks: list[Block] = []
    for entry in sorted(entries, key=lambda e: (list(EntryKind).index(e.kind), e.period)):
        for part in _cut([entry.period], day):
            rows = _place(part, frame)
            taken = {block.lane for block in blocks if set(rows) & set(block.rows)}
            lane = next(lane for lane in count(1) if lane not in taken)
            blocks.append(Block(rows, part.start, part.end, entry, lane))
    # Blocks that overlap, directly or through others, share the width.
    cluster: list[Block] = []
    for block in sorted(blocks, key=lambda block: block.rows.start):
        if block.rows.start >= max((one.rows.stop for one in cluster), default=0):
            cluster = []
        cluster.append(block)
        for one in cluster:
            one.lanes = min(max(other.lane for other in cluster), MAX_LANES)
    return sorted(blocks, key=lambda block: (block.start, block.lane))


def load_week(monday: date) -> tuple[Week, bool]:
    """Return the week, and False if it lacks the appointments because the calendar failed."""
    now = timezone.now()
    sunday = monday + timedelta(days=6)
    whole = whole_days(monday, sunday)
    classes = list(_classes(whole, now))
    appointments = _find_appointments(whole)
    week = build_week(
        monday,
        hours=load_hours(monday, sunday),
        entries=[*classes, *_holds(whole, now), *_without_classes(appointments or [], classes)],
        now=now,
    )
    return week, appointments is not None


def list_classes_of_days(whole: Period, now: datetime) -> QuerySet[VirtualClass]:
    """List the given classes, and those that are paid or can be."""
    unpaid = Purchase.objects.filter(virtual_class=OuterRef("pk"), paid_at=None)
    over = Q(Exists(unpaid), status=ClassStatus.PENDING, end_time__lte=now)
    shown = [ClassStatus.SCHEDULED, ClassStatus.COMPLETED, ClassStatus.PENDING]
    near = VirtualClass.objects.overlapping(whole.start, whole.end).filter(status__in=shown)
    rows = with_class_money(near.exclude(over).without_lapsed(now))
    return rows.select_related("booked_by", "offer", "open_class")


def _classes(whole: Period, now: datetime) -> Iterator[Entry]:
    for row in list_classes_of_days(whole, now):
        is_paid = row.status == ClassStatus.PENDING and row.is_paid
        kind = EntryKind.PAID if is_paid else EntryKind(row.status)
        yield Entry(kind, Period(row.start_time, row.end_time), row)


def _holds(whole: Period, now: datetime) -> Iterator[Entry]:
    chosen = Hold.objects.chosen().live(now).overlapping(whole.start, whole.end)
    for row in chosen.select_related("user"):
        yield Entry(EntryKind.HOLD, Period(row.start_time, row.end_time), row)


def _find_appointments(whole: Period) -> list[Period] | None:
    try:
        events = read_upcoming_events()
    except CalendarError:
        return None
    periods = [Period(event.start, event.end) for event in events if event.start < event.end]
    return [period for period in periods if period.overlaps(whole)]


def _without_classes(appointments: list[Period], classes: list[Entry]) -> Iterator[Entry]:
    """Leave out the events of our classes, unless the calendar moved them."""
    given = {EntryKind.SCHEDULED, EntryKind.COMPLETED}
    ours = {entry.period.in_whole_seconds() for entry in classes if entry.kind in given}
    for period in appointments:
        if period.in_whole_seconds() not in ours:
            yield Entry(EntryKind.APPOINTMENT, period)


@dataclass(frozen=True, slots=True)
class MonthDay:
    """free_slots: None outside the month. holiday: its name."""

    day: date
    free_slots: int | None
    holiday: str = ""


def month_of(day: date) -> date:
    return day.replace(day=1)


def build_month(
    first_day: date,
    free_slots: Mapping[date, Sequence[object]],
    *,
    latest: date,
    holidays: Mapping[date, str],
) -> dict[str, Any]:
    """Return the template context, without past weeks.

    latest: the last day on offer. previous, following: months beside it, if they are on offer.
    """
    today = timezone.localdate()
    before = month_of(first_day - timedelta(days=1))
    after = month_of(first_day + timedelta(days=31))
    counts = {day: len(slots) for day, slots in free_slots.items()}
    return {
        "first_day": first_day,
        "weeks": [
            [
                MonthDay(day, counts.get(day, 0), holidays.get(day, ""))
                if month_of(day) == first_day
                else MonthDay(day, None)
                for day in week
            ]
            for week in Calendar().monthdatescalendar(first_day.year, first_day.month)
            if week[-1] >= today
        ],
        "previous": before if before >= month_of(today) else None,
        "following": after if after <= latest else None,
    }
