"""Descriptions that have no view of ``bookings.api`` to stand at."""
