"""Dates as in the rest of the panel: ``22 nov 2026``, without a full stop."""

DATE_FORMAT = "j b Y"
DATETIME_FORMAT = "j b Y · H:i"
