"""A week laid out in columns of quarter hours, by the wall clock. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from itertools import count
from zoneinfo import ZoneInfo

from bookings.availability.periods import Period, merge

ROWS_PER_HOUR = 4
MINUTES_PER_ROW = 60 // ROWS_PER_HOUR
ROWS_PER_DAY = 24 * ROWS_PER_HOUR
# What an empty week shows.
NINE_TO_SIX = range(9 * ROWS_PER_HOUR, 18 * ROWS_PER_HOUR)
# Blocks side by side; the page only counts the others.
MAX_LANES = 3


class EntryKind(StrEnum):
    """The first in order gets the first lane."""

    SCHEDULED = "scheduled"
    COMPLETED = "completed"
    PAID = "paid"
    PENDING = "pending"
    HOLD = "hold"
    APPOINTMENT = "appointment"


@dataclass(frozen=True, slots=True)
class Entry:
    kind: EntryKind
    period: Period
    subject: object = None


@dataclass(frozen=True, slots=True)
class Rows:
    """A place in a column. first: from 0; span: from 1."""

    first: int
    span: int

    @property
    def end(self) -> int:
        return self.first + self.span

    def overlaps(self, other: "Rows") -> bool:
        return self.first < other.end and other.first < self.end


@dataclass(frozen=True, slots=True)
class Opening:
    """Opening hours. start, end: local."""

    rows: Rows
    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class Block:
    """The part of an entry on one day.

    start, end: local, cut at midnight. lane: its place beside others, from 1, of lanes; the grid
    has no room beyond MAX_LANES.
    """

    entry: Entry
    rows: Rows
    start: datetime
    end: datetime
    lane: int
    lanes: int

    @property
    def has_room(self) -> bool:
        return self.lane <= MAX_LANES

    @property
    def is_short(self) -> bool:
        """True if it has room for one line only."""
        return self.rows.span <= ROWS_PER_HOUR // 2

    @property
    def is_all_day(self) -> bool:
        return self.start.time() == time(0) and self.end.date() > self.start.date()


@dataclass(frozen=True, slots=True)
class WeekDay:
    """A column. closure: why the weekly hours do not count."""

    day: date
    closure: str | None
    openings: list[Opening]
    blocks: list[Block]

    @property
    def without_room(self) -> int:
        return sum(not block.has_room for block in self.blocks)


@dataclass(frozen=True, slots=True)
class Hour:
    hour: int
    rows: Rows


@dataclass(frozen=True, slots=True)
class Week:
    days: list[WeekDay]
    hours: list[Hour]
    previous: date
    following: date


def monday_of(day: date) -> date:
    return day - timedelta(days=day.weekday())


def build_week(
    monday: date,
    *,
    openings: Iterable[Period],
    entries: Sequence[Entry],
    closures: Mapping[date, str],
    zone: ZoneInfo,
) -> Week:
    """Lay out the week that begins on ``monday``.

    An entry of a whole day does not extend the rows.
    """
    days = [monday + timedelta(days=offset) for offset in range(7)]
    openings = merge(openings)
    shown = [*openings, *(entry.period for entry in entries)]
    frame = _find_frame(part for day in days for part in _cut(shown, day, zone))
    return Week(
        days=[
            WeekDay(
                day=day,
                closure=closures.get(day),
                openings=[
                    Opening(_place(part, frame), part.start, part.end)
                    for part in _cut(openings, day, zone)
                ],
                blocks=_lay_out(entries, day, frame, zone),
            )
            for day in days
        ],
        hours=[
            Hour(row // ROWS_PER_HOUR, Rows(row - frame.start, ROWS_PER_HOUR))
            for row in frame[::ROWS_PER_HOUR]
        ],
        previous=monday - timedelta(days=7),
        following=monday + timedelta(days=7),
    )


def _cut(periods: Iterable[Period], day: date, zone: ZoneInfo) -> list[Period]:
    midnight, next_midnight = (
        datetime.combine(one, time(0), tzinfo=zone).astimezone(UTC)
        for one in (day, day + timedelta(days=1))
    )
    return [
        Period(
            max(period.start, midnight).astimezone(zone),
            min(period.end, next_midnight).astimezone(zone),
        )
        for period in periods
        if period.overlaps(Period(midnight, next_midnight))
    ]


def _row(part: Period, moment: datetime) -> int:
    """Return the row nearest to a moment of the part's day, or to its last midnight."""
    if moment.date() > part.start.date():
        return ROWS_PER_DAY
    return round((moment.hour * 60 + moment.minute) / MINUTES_PER_ROW)


def _find_frame(parts: Iterable[Period]) -> range:
    """Return the rows that the week shows: whole hours."""
    rows = [(_row(part, part.start), _row(part, part.end)) for part in parts]
    rows = [one for one in rows if one != (0, ROWS_PER_DAY)]
    if not rows:
        return NINE_TO_SIX
    top = min(min(start for start, _ in rows) // ROWS_PER_HOUR, 23)
    bottom = -(-max(end for _, end in rows) // ROWS_PER_HOUR)
    return range(top * ROWS_PER_HOUR, max(bottom, top + 1) * ROWS_PER_HOUR)


def _place(part: Period, frame: range) -> Rows:
    first = min(max(_row(part, part.start), frame.start), frame.stop - 1)
    end = min(_row(part, part.end), frame.stop)
    return Rows(first - frame.start, max(end - first, 1))


def _lay_out(entries: Iterable[Entry], day: date, frame: range, zone: ZoneInfo) -> list[Block]:
    blocks: list[Block] = []
    for entry in sorted(entries, key=lambda e: (list(EntryKind).index(e.kind), e.period)):
        for part in _cut([entry.period], day, zone):
            rows = _place(part, frame)
            taken = {block.lane for block in blocks if block.rows.overlaps(rows)}
            lane = next(lane for lane in count(1) if lane not in taken)
            blocks.append(Block(entry, rows, part.start, part.end, lane, lanes=lane))
    # Blocks that overlap, directly or through others, share the width.
    clusters: list[list[Block]] = []
    end = 0
    for block in sorted(blocks, key=lambda block: block.rows.first):
        if block.rows.first >= end:
            clusters.append([])
        clusters[-1].append(block)
        end = max(end, block.rows.end)
    laid_out = [
        replace(block, lanes=min(max(one.lane for one in cluster), MAX_LANES))
        for cluster in clusters
        for block in cluster
    ]
    return sorted(laid_out, key=lambda block: (block.start, block.lane))
