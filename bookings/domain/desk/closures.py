"""Closures: days without classes."""

from collections.abc import Iterable

from bookings.models import Closure


def import_public_holidays(years: Iterable[int]) -> int:
    """Add missing public holidays as closures; return their number."""
    from holidays import country_holidays  # slow to import, and used once a year

    known = set(Closure.objects.filter(is_public_holiday=True).values_list("first_day", flat=True))
    missing = [
        Closure(first_day=day, last_day=day, reason=name[:200], is_public_holiday=True)
        for day, name in sorted(country_holidays("AR", years=years, language="es").items())
        if day not in known
    ]
    # A concurrent import may add the same days.
    Closure.objects.bulk_create(missing, ignore_conflicts=True)
    return len(missing)
