"""Free slots: opening hours minus busy times. Pure."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from bookings.availability.periods import Period, merge


@dataclass(frozen=True, slots=True)
class SlotRules:
    """The rules of a slot.

    buffer_before, buffer_after: kept free around each class; between two classes the longer one is
    enough. earliest, latest: aware bounds of a slot's start.
    """

    step: timedelta
    buffer_before: timedelta
    buffer_after: timedelta
    earliest: datetime
    latest: datetime


@dataclass(frozen=True, slots=True)
class BusyTimes:
    """When the teacher is busy. classes: our classes and holds, which need their buffers."""

    classes: Sequence[Period] = ()
    appointments: Sequence[Period] = ()


def find_free_slots(
    *, openings: Iterable[Period], busy: BusyTimes, rules: SlotRules, length: timedelta
) -> list[Period]:
    """Return the free slots in order, on a grid from each opening's start.

    Costs one pass with a binary search for each candidate.
    """
    blocked = _block(busy, rules)
    starts = [period.start for period in blocked]
    return [
        slot
        for opening in merge(openings)
        for slot in _candidates(opening, rules, length)
        if not _hits(slot, blocked, starts)
    ]


def open_on(day: date, ranges: Iterable[tuple[time, time]], zone: ZoneInfo) -> list[Period]:
    """Return a day's wall-clock ranges as instants; an end of 00:00 is the last midnight."""
    openings = []
    for start, end in ranges:
        last_day = day + timedelta(days=1) if end == time(0) else day
        opening = Period(_instant(day, start, zone), _instant(last_day, end, zone))
        if opening.start < opening.end:
            openings.append(opening)
    return openings


def _instant(day: date, clock: time, zone: ZoneInfo) -> datetime:
    """Return an instant; a wall-clock time that the clocks skip counts from before."""
    return datetime.combine(day, clock, tzinfo=zone).astimezone(UTC)


def _block(busy: BusyTimes, rules: SlotRules) -> list[Period]:
    """Widen busy times by the buffers: a free slot touches none.

    The buffer before a class lies after the busy time, and the other way round.
    """
    before, after = rules.buffer_before, rules.buffer_after
    pause = max(before, after)
    return merge(
        [
            *(period.widened(before=pause, after=pause) for period in busy.classes),
            *(period.widened(before=after, after=before) for period in busy.appointments),
        ]
    )


def _candidates(opening: Period, rules: SlotRules, length: timedelta) -> Iterator[Period]:
    skipped = max(rules.earliest - opening.start, timedelta())
    start = opening.start + -(-skipped // rules.step) * rules.step
    while start + length <= opening.end and start <= rules.latest:
        yield Period(start, start + length)
        start += rules.step


def _hits(slot: Period, blocked: Sequence[Period], starts: Sequence[datetime]) -> bool:
    index = bisect_right(starts, slot.start) - 1
    neighbours = blocked[max(index, 0) : index + 2]
    return any(slot.overlaps(period) for period in neighbours)
