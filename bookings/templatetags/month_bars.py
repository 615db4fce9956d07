"""Bars of the panel's months."""

from collections.abc import Sequence
from typing import Protocol

from django import template

register = template.Library()


class Month(Protocol):
    @property
    def net(self) -> int: ...


@register.filter
def with_shares(months: Sequence[Month]) -> list[tuple[Month, int]]:
    """Pair each month with its percentage of the best one."""
    best = max((month.net for month in months), default=0)
    return [(month, max(100 * month.net // best, 0) if best > 0 else 0) for month in months]
