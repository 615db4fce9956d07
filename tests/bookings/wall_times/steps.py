"""Classes around the day on which the law of the zone changes."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.utils import timezone

from bookings.domain.classes.scheduling import schedule_class
from bookings.models import VirtualClass
from tests.booking import book_class

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
NOW = datetime(2026, 11, 22, 15, tzinfo=UTC)
MONDAY = date(2026, 12, 7)  # a day after the change


def local(clock, day=MONDAY):
    return datetime.combine(
        day, time.fromisoformat(clock), tzinfo=ZoneInfo("America/Argentina/Buenos_Aires")
    )


def book(host, clock="16:00", day=MONDAY, **more):
    start = local(clock, day)
    return book_class(
        user=host,
        start=start,
        end=start + HOUR,
        is_group_class=True,
        students_count=5,
        price=0,
        preference_id=f"preference-{day}-{clock}",
        **more,
    )


def schedule(host, clock="16:00", day=MONDAY):
    return schedule_class(preference_id=book(host, clock, day).preference_id)


def instant_of(event):
    """Return when an event of the stand-in begins, by the zone's law before its change."""
    return datetime.fromisoformat(event["start"]["dateTime"])


def clocks():
    """The hours that people read, in their order."""
    starts = VirtualClass.objects.order_by("start_time").values_list("start_time", flat=True)
    return [f"{timezone.localtime(start):%H:%M}" for start in starts]
