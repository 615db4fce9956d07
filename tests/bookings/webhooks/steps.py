"""What tests of delivering webhooks do and look at."""

from datetime import UTC, datetime, timedelta

from bookings.webhooks.attempts import deliver_webhooks

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


def wait(clock, **duration):
    """Let time pass and have the sweep run."""
    clock.shift(timedelta(**duration))
    return deliver_webhooks()


def state(delivery):
    delivery.refresh_from_db()
    return delivery.state
