"""Signals from the calendar to the other apps."""

from django.dispatch import Signal

# The calendar may have changed; nothing has been read yet.
calendar_changed = Signal()

# The provider refused the grant of ``refresh_token``; with None, the service account.
access_refused = Signal()
