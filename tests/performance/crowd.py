"""Scheduled classes by the thousand, written in a few statements."""

from datetime import timedelta

from django.utils import timezone

from accounts.models import User
from bookings.models import (
    ClassStatus,
    ClassType,
    HostType,
    Purchase,
    PurchaseKind,
    PurchaseState,
    Role,
    UserActivity,
    VirtualClass,
)

HOURS = 50_000  # over which the classes are spread, from tomorrow on


def add_scheduled_classes(hosts: list[User], count: int) -> None:
    """Store group classes of an hour, given to the hosts in turn; the code is the number."""
    first, tomorrow = VirtualClass.objects.count() + 1, timezone.now() + timedelta(days=1)
    classes = []
    for number in range(first, first + count):
        start = tomorrow + timedelta(hours=number % HOURS)
        classes.append(
            VirtualClass(
                booked_by=(host := hosts[number % len(hosts)]),
                participants_ids=[str(host.pk)],
                summary="Clase de Inglés",
                preference_id=f"crowd-{number:08d}",
                access_code=f"{number:08d}",
                provider_event_id=f"crowdevent{number:08d}",
                start_time=start,
                end_time=start + timedelta(minutes=50),
                utc_offset=-180,
                class_type=ClassType.GROUP,
                class_price=1_500_000,
                max_participants=30,
                current_participants=1,
                status=ClassStatus.SCHEDULED,
                host_type=HostType.HOST,
                html_link="https://meet.google.com/abc-defg-hij",
                scheduling_requested_at=tomorrow,
            )
        )
    VirtualClass.objects.bulk_create(classes, batch_size=1_000)
    UserActivity.objects.bulk_create(
        [UserActivity(virtual_class=one, user=one.booked_by, rol=Role.HOST) for one in classes],
        batch_size=1_000,
    )
    paid = {"kind": PurchaseKind.CLASS, "state": PurchaseState.PAID, "paid_at": timezone.now()}
    Purchase.objects.bulk_create(
        [
            Purchase(virtual_class=one, person=one.booked_by, price=one.class_price, **paid)
            for one in classes
        ],
        batch_size=1_000,
    )
