"""What the tests of rescheduling do and look at."""

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from bookings.domain.classes.changing import reschedule_class

ZONE = ZoneInfo("America/Argentina/Buenos_Aires")
NOW = datetime(2026, 11, 20, 12, 0, tzinfo=ZONE)  # a Friday
TUESDAY = NOW.date() + timedelta(days=4)


def at(clock, day=TUESDAY):
    return datetime.combine(day, time.fromisoformat(clock), tzinfo=ZONE)


def move(virtual_class, actor, clock, **more):
    return reschedule_class(class_id=virtual_class.pk, actor=actor, start=at(clock), **more)


def hours_of(event):
    return [event[name]["dateTime"][11:16] for name in ("start", "end")]
