"""Google Calendar, behind the interface of ``calendar_sync``."""
