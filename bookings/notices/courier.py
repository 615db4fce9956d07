"""Deliver mails in the background, so that no request waits for the mail server."""

from datetime import timedelta

from django.conf import settings

from bookings.notices.delivery import deliver_due
from config.lib.background_jobs import SECONDS_OUT, BackgroundJob


def deliver_mails_soon() -> None:
    """Start a background delivery of due mails; the sweep retries those that fail."""
    if settings.DELIVER_NOTICES_AT_ONCE:
        _courier.call()


def _deliver() -> int:
    return deliver_due(SECONDS_OUT)


# The delay lets a burst of joins finish before the first mail is rendered.
_courier = BackgroundJob("courier", _deliver, delay=timedelta(seconds=1))
