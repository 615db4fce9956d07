"""Convert between instants and the teacher's clock."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings

MINUTE = timedelta(minutes=1)


class UnclearTimeError(ValueError):
    """The clocks skip this hour, or show it twice."""


def read_wall_time(wall: datetime) -> datetime:
    """Return the UTC instant of a naive wall-clock time. Raises UnclearTimeError."""
    local = wall.replace(tzinfo=ZoneInfo(settings.TIME_ZONE))
    if not is_clear(local):
        raise UnclearTimeError
    return local.astimezone(UTC)


def find_next(clock: time, now: datetime) -> datetime:
    """Return the next UTC instant after ``now`` at which the teacher's clock shows this hour.

    An hour that the clocks skip counts by the offset before.
    """
    zone = ZoneInfo(settings.TIME_ZONE)
    today = now.astimezone(zone).date()
    days = (today + timedelta(days=ahead) for ahead in range(3))
    moments = (datetime.combine(day, clock, zone).astimezone(UTC) for day in days)
    return next(moment for moment in moments if moment > now)


def is_clear(moment: datetime) -> bool:
    """True if the clock shows the hour of this instant once."""
    local = moment.astimezone(ZoneInfo(settings.TIME_ZONE))
    # The two readings of PEP 495 differ for hours that are skipped and for those that are repeated.
    return local.replace(fold=0).utcoffset() == local.replace(fold=1).utcoffset()


def find_offset(moment: datetime) -> int:
    """Return minutes from UTC to the teacher's clock."""
    local = moment.astimezone(ZoneInfo(settings.TIME_ZONE))
    return (local.utcoffset() or timedelta()) // MINUTE
