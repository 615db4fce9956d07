"""The id of the configured calendar."""

from django.conf import settings


def name_calendar() -> str:
    """Return the calendar's own id: ``primary`` is the administrator's."""
    is_primary = settings.CALENDAR_ID == "primary"
    return settings.ADMIN_EMAIL or "primary" if is_primary else settings.CALENDAR_ID
