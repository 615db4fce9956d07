"""Free slots: opening hours minus busy times."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from operator import attrgetter
from zoneinfo import ZoneInfo

from django.utils import timezone

from config.lib.wall_time import is_clear


@dataclass(frozen=True, slots=True, order=True)
class Period:
    """start, end: aware, or both of one wall clock; the end is excluded."""

    start: datetime
    end: datetime

    def overlaps(self, other: "Period") -> bool:
        return self.start < other.end and other.start < self.end

    def in_whole_seconds(self) -> "Period":
        """Drop the fractions of a second, as the calendar does."""
        return Period(self.start.replace(microsecond=0), self.end.replace(microsecond=0))


def merge(periods: Iterable[Period]) -> list[Period]:
    """Join overlapping or adjacent periods; return them in order."""
    merged: list[Period] = []
    for period in sorted(periods):
        if merged and period.start <= merged[-1].end:
            merged[-1] = Period(merged[-1].start, max(merged[-1].end, period.end))
        else:
            merged.append(period)
    return merged


def subtract(periods: Iterable[Period], taken: Iterable[Period]) -> list[Period]:
    """Return the rest of the periods, joined and in order."""
    left = merge(periods)
    for one in taken:
        left = [
            piece
            for period in left
            for piece in (
                Period(period.start, min(period.end, one.start)),
                Period(max(period.start, one.end), period.end),
            )
            if piece.start < piece.end
        ]
    return left


@dataclass(frozen=True, slots=True)
class Agenda:
    """classes: classes and holds. buffer_before, buffer_after: kept free around each of them;
    between two the longer one is enough. earliest, latest: bounds of a slot's start. moved_from:
    the start of a class that is to be moved, so no slot.
    """

    openings: Sequence[Period]
    classes: Sequence[Period]
    appointments: Sequence[Period]
    step: timedelta
    buffer_before: timedelta
    buffer_after: timedelta
    earliest: datetime
    latest: datetime
    moved_from: datetime | None = None

    def find_free_slots(self, length: timedelta) -> dict[date, list[Period]]:
        """Return the free slots by local day, none in a repeated hour."""
        days: defaultdict[date, list[Period]] = defaultdict(list)
        for slot in self.list_free_slots(length):
            if is_clear(slot.start) and slot.start != self.moved_from:
                days[timezone.localdate(slot.start)].append(slot)
        return dict(days)

    def list_free_slots(self, length: timedelta) -> Iterator[Period]:
        """Yield the free slots in order, on a grid from each opening's start."""
        blocked = self._list_blocked()
        for opening in merge(self.openings):
            skipped = max(self.earliest - opening.start, timedelta())
            start = opening.start + -(-skipped // self.step) * self.step
            while start + length <= opening.end and start <= self.latest:
                slot = Period(start, start + length)
                after = bisect_right(blocked, start, key=attrgetter("start"))
                if not any(slot.overlaps(near) for near in blocked[max(after - 1, 0) : after + 1]):
                    yield slot
                start += self.step

    def offers(self, start: datetime, length: timedelta) -> bool:
        is_free = any(slot.start == start for slot in self.list_free_slots(length))
        return is_free and is_clear(start)

    def ignoring_busy_times(self) -> "Agenda":
        return replace(self, classes=[], appointments=[])

    def sum_free_time(self, *, since: datetime) -> timedelta:
        """Return the free part of the opening hours, ignoring buffers."""
        over = Period(datetime.min.replace(tzinfo=UTC), since)
        free = subtract(self.openings, [*self.classes, *self.appointments, over])
        return sum((one.end - one.start for one in free), timedelta())

    def _list_blocked(self) -> list[Period]:
        """Widen the busy times by the buffers.

        The buffer before a class lies after the busy time, and the other way round.
        """
        before, after = self.buffer_before, self.buffer_after
        pause = max(before, after)
        return merge(
            [
                *(Period(one.start - pause, one.end + pause) for one in self.classes),
                *(Period(one.start - after, one.end + before) for one in self.appointments),
            ]
        )


def open_on(day: date, ranges: Iterable[tuple[time, time]], zone: ZoneInfo) -> list[Period]:
    """Return the ranges in UTC; an end of 00:00 is the last midnight.

    A time that the clocks skip is read with the offset before the change.
    """
    openings = []
    for start, end in ranges:
        last_day = day + timedelta(days=1) if end == time(0) else day
        opening = Period(
            datetime.combine(day, start, tzinfo=zone).astimezone(UTC),
            datetime.combine(last_day, end, tzinfo=zone).astimezone(UTC),
        )
        if opening.start < opening.end:
            openings.append(opening)
    return openings
