"""Bars of the panel's months."""

from collections.abc import Sequence

from django import template

from bookings.domain.money.takings import MonthTakings

register = template.Library()


@register.filter
def with_shares(months: Sequence[MonthTakings]) -> list[tuple[MonthTakings, int]]:
    """Pair each month with its percentage of the best one."""
    best = max((month.net for month in months), default=0)
    return [(month, max(100 * month.net // best, 0) if best > 0 else 0) for month in months]
