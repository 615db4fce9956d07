"""Periods of time."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True, order=True)
class Period:
    """A period of time. start, end: aware; the end is excluded."""

    start: datetime
    end: datetime

    def overlaps(self, other: "Period") -> bool:
        return self.start < other.end and other.start < self.end

    def shared_with(self, other: "Period") -> timedelta:
        """Return how long both last at once."""
        return max(min(self.end, other.end) - max(self.start, other.start), timedelta())

    def in_whole_seconds(self) -> "Period":
        """Return the period as the calendar keeps it, without fractions of a second."""
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
