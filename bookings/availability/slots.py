"""Free slots: opening hours minus busy times. Pure functions over plain values.

A slot is a start at which a class of a given length fits. Candidates stand on a grid that begins
with each opening; each must fit inside it and keep its distance from what is busy.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from bookings.availability.periods import Period, merge


@dataclass(frozen=True, slots=True)
class SlotRules:
    """What a slot must keep to.

    buffer_before, buffer_after: what stays free around each class. Between two classes the longer
    of the two pauses is enough.
    earliest, latest: aware; a slot starts no sooner than ``earliest`` and no later than ``latest``.
    """

    step: timedelta
    buffer_before: timedelta
    buffer_after: timedelta
    earliest: datetime
    latest: datetime


@dataclass(frozen=True, slots=True)
class BusyTimes:
    """When the teacher cannot give a class.

    classes: our own classes and holds, which need their pauses. appointments: anything else.
    """

    classes: Sequence[Period] = ()
    appointments: Sequence[Period] = ()


def find_free_slots(
    *, openings: Iterable[Period], busy: BusyTimes, rules: SlotRules, length: timedelta
) -> list[Period]:
    """Give every free slot, in order; each is as long as ``length``.

    Costs one pass over candidates with a binary search each, whatever the number of busy times.
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
    """Turn a day's wall-clock ranges into instants; an end of 00:00 is the day's last midnight.

    On a day with a clock change a range keeps its wall-clock ends and so is longer or shorter.
    """
    openings = []
    for start, end in ranges:
        last_day = day + timedelta(days=1) if end == time(0) else day
        opening = Period(_instant(day, start, zone), _instant(last_day, end, zone))
        if opening.start < opening.end:
            openings.append(opening)
    return openings


def _instant(day: date, clock: time, zone: ZoneInfo) -> datetime:
    """Give the instant of a wall-clock time; one that the clocks skip counts from before."""
    return datetime.combine(day, clock, tzinfo=zone).astimezone(UTC)


def _block(busy: BusyTimes, rules: SlotRules) -> list[Period]:
    """Widen the busy times so that a slot is free when it touches none of them.

    The pause a class needs before it must lie after the busy time, and the other way round.
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
    """Whether the slot overlaps a blocked period; they are ordered and have gaps between."""
    index = bisect_right(starts, slot.start) - 1
    neighbours = blocked[max(index, 0) : index + 2]
    return any(slot.overlaps(period) for period in neighbours)
