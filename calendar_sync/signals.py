"""Signals from the calendar to the other apps."""

from django.dispatch import Signal

# Something in the calendar may have changed. A hint, sent before anybody has looked.
calendar_changed = Signal()

# The provider refused the grant of ``refresh_token``; with None, the service account. Sent robustly
# by the call that met the refusal.
access_refused = Signal()
