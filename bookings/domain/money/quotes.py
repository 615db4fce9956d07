"""The class that a price was given for."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bookings.models import ClassType


@dataclass(frozen=True, slots=True)
class Quote:
    """Aware times; the price in centavos."""

    start: datetime
    end: datetime
    is_group_class: bool
    students_count: int
    price: int

    @property
    def class_type(self) -> ClassType:
        return ClassType.GROUP if self.is_group_class else ClassType.INDIVIDUAL

    def to_json(self) -> dict[str, Any]:
        """Equal quotes give equal values."""
        return {
            "start": self.start.timestamp(),
            "end": self.end.timestamp(),
            "is_group_class": self.is_group_class,
            "students_count": self.students_count,
            "price": self.price,
        }
