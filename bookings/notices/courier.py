"""Delivery right after the fact, so that nobody waits for a mail server."""

from datetime import timedelta

from django.conf import settings

from bookings.notices.delivery import deliver_due
from config.lib.background_jobs import SECONDS_OUT, BackgroundJob


def deliver_mails_soon() -> None:
    """Have what is due delivered soon. What fails is left to the sweeps."""
    if settings.DELIVER_NOTICES_AT_ONCE:
        _courier.call()


def _deliver() -> int:
    return deliver_due(SECONDS_OUT)


# Who joins in a crowd is let in before the first mail is written, and nobody misses the second.
_courier = BackgroundJob("courier", _deliver, delay=timedelta(seconds=1))
