"""The teacher's panel."""

from bookings.admin import notices
from bookings.admin.agenda import availability, closures
from bookings.admin.classes import activities, holds, virtual_class
from bookings.admin.money import payments, prices
from bookings.admin.people import person
from bookings.admin.webhooks import deliveries, endpoints

__all__ = [
    "activities",
    "availability",
    "closures",
    "deliveries",
    "endpoints",
    "holds",
    "notices",
    "payments",
    "person",
    "prices",
    "virtual_class",
]
