"""The demo's opening hours, prices and rules."""

from datetime import time

from django.utils import timezone

from bookings.domain.desk.hours import import_public_holidays, set_weekly_hours
from bookings.models import BookingRules, ClassType, Price, Weekday

WORKING_DAY = [(time(9), time(13)), (time(15), time(20))]
HOURS = {
    **{Weekday(number): WORKING_DAY for number in range(5)},
    Weekday.SATURDAY: [(time(10), time(13))],
}

# Type, minutes, up to how many students, centavos.
PRICES = [
    (ClassType.INDIVIDUAL, 30, 1, 850_000),
    (ClassType.INDIVIDUAL, 60, 1, 1_500_000),
    (ClassType.INDIVIDUAL, 90, 1, 2_100_000),
    (ClassType.GROUP, 60, 3, 2_400_000),
    (ClassType.GROUP, 60, 6, 3_600_000),
    (ClassType.GROUP, 90, 3, 3_400_000),
    (ClassType.GROUP, 90, 6, 5_100_000),
]


def seed_offer() -> None:
    today = timezone.localdate()
    set_weekly_hours(HOURS)
    import_public_holidays([today.year, today.year + 1])
    BookingRules(transfer_alias="clases.con.paula", transfer_holder="Paula Ferreyra").save()
    Price.objects.bulk_create(
        Price(
            class_type=class_type,
            minutes=minutes,
            students_up_to=students,
            amount=amount,
            valid_from=today,
        )
        for class_type, minutes, students, amount in PRICES
    )
