"""What the tests of the waiting list do and look at."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from bookings.domain.classes.changing import change_capacity
from bookings.models import UserActivity, VirtualClass, WaitingListEntry

CODE = "ABCD2345"
NOW = datetime(2026, 11, 23, 8, 0, tzinfo=ZoneInfo("America/Argentina/Buenos_Aires"))
WINDOW = timedelta(hours=12)


def free_place(virtual_class, count=1):
    """Let places become free; give the offer that is made."""
    capacity = VirtualClass.objects.get(pk=virtual_class.pk).max_participants + count
    since = WaitingListEntry.objects.filter(state="offered").first()
    change_capacity(class_id=virtual_class.pk, capacity=capacity)
    offer = WaitingListEntry.objects.filter(state="offered").first()
    return offer if offer != since else None


def state_of(entry):
    entry.refresh_from_db()
    return entry.state


def people_in(virtual_class):
    return set(UserActivity.objects.filter(virtual_class=virtual_class).values_list("user", flat=1))
