"""A Monday at noon, and other moments of its week."""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

ZONE = ZoneInfo("America/Argentina/Buenos_Aires")
NOW = datetime(2026, 11, 16, 12, 0, tzinfo=ZONE)
MONDAY = NOW.date()


def at(clock: str, day: date = MONDAY) -> datetime:
    """Give a local time of a day, by default of the Monday."""
    return datetime.combine(day, time.fromisoformat(clock), tzinfo=ZONE)


def days_later(count: int) -> date:
    """Give a day after the Monday."""
    return MONDAY + timedelta(days=count)
