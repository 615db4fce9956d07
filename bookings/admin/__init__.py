"""The teacher's door: Django's admin."""

from bookings.admin import (
    activities,
    availability,
    classes,
    closures,
    holds,
    notices,
    payments,
    people,
    prices,
    webhook_deliveries,
    webhook_endpoints,
    work,
)

__all__ = [
    "activities",
    "availability",
    "classes",
    "closures",
    "holds",
    "notices",
    "payments",
    "people",
    "prices",
    "webhook_deliveries",
    "webhook_endpoints",
    "work",
]
