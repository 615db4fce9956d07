"""Closures: days without classes."""

from collections.abc import Iterable
from datetime import date

from django.conf import settings
from django.db.models import QuerySet

from bookings.availability.agenda import whole_days
from bookings.models import ClassStatus, Closure, VirtualClass

COUNTRY = "AR"
LONGEST_REASON = 200


def import_public_holidays(years: Iterable[int]) -> int:
    """Add missing public holidays as closures; return their number."""
    from holidays import country_holidays  # slow to import, and used once a year

    known = set(Closure.objects.filter(is_public_holiday=True).values_list("first_day", flat=True))
    missing = [
        Closure(first_day=day, last_day=day, reason=name[:LONGEST_REASON], is_public_holiday=True)
        for day, name in sorted(country_holidays(COUNTRY, years=years, language="es").items())
        if day not in known
    ]
    # A concurrent import may add the same days.
    Closure.objects.bulk_create(missing, ignore_conflicts=True)
    return len(missing)


def list_scheduled_between(first_day: date, last_day: date) -> QuerySet[VirtualClass]:
    """List the scheduled classes of a range of days, both included."""
    whole = whole_days(first_day, last_day)
    return VirtualClass.objects.filter(
        status=ClassStatus.SCHEDULED,
        start_time__gt=whole.start - settings.MAX_CLASS_LENGTH,
        start_time__lt=whole.end,
        end_time__gt=whole.start,
    )
