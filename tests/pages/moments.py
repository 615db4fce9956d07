"""When the tests of the pages take place."""

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

ZONE = ZoneInfo("America/Argentina/Buenos_Aires")
NOW = datetime(2026, 11, 23, 12, 0, tzinfo=ZONE)  # a Monday


def tuesday(clock: str, weeks: int = 0) -> datetime:
    """Give a time of tomorrow, or of a Tuesday some weeks later."""
    day = NOW.date() + timedelta(days=1, weeks=weeks)
    return datetime.combine(day, time.fromisoformat(clock), tzinfo=ZONE)
