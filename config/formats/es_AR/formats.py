"""Dates as the rest of the panel writes them: ``22 nov 2026``, without a capital or a full stop."""

DATE_FORMAT = "j b Y"
DATETIME_FORMAT = "j b Y · H:i"
