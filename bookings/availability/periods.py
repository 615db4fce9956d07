"""Periods of time."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime


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
