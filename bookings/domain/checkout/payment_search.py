"""One search for all payments whose notifications go to another system."""

import logging
from datetime import UTC, datetime, timedelta

from django.utils import timezone

from bookings.domain.checkout.notifications import process_notifications
from bookings.domain.heartbeats import note_beat, read_beats
from bookings.domain.money.charges import DAILY
from bookings.models import Payment, PaymentCharge, PaymentNotification, SignatureState
from bookings.payments.backend import PROVIDER, get_gateway
from bookings.payments.gateway import CHARGE_TOPIC, PaymentError

logger = logging.getLogger(__name__)

# The heartbeat of searches that succeeded; the sweep's own also beats while the provider is down.
SEARCHED = "payment_search"
# The provider's search may lag behind, and its clock may differ from ours, by this much.
OVERLAP = timedelta(minutes=15)


def search_payments() -> int:
    """Return how many changes were new."""
    now, new = timezone.now(), 0
    waiting = Payment.objects.filter(
        made_elsewhere=True, approved_at=None, next_check_at__isnull=False
    )
    if waiting.exists():
        last = read_beats().get(SEARCHED)
        since = now - DAILY  # no further: every payment is checked daily by itself
        if last and last <= now:  # else a clock was ahead
            since = max(last - OVERLAP, since)
        try:
            updates = get_gateway().search_updates(since=since)
        except PaymentError as error:
            logger.warning("The search for payments is put off: %s", error)
            return 0
        new = sum(_store_new(charge_id, at) for charge_id, at in updates)
    note_beat(SEARCHED, new)
    if new:
        process_notifications()
    return new


def _store_new(charge_id: str, updated_at: datetime) -> bool:
    charges = PaymentCharge.objects.filter(provider=PROVIDER, charge_id=charge_id)
    if charges.filter(provider_updated_at__gte=updated_at).exists():
        return False
    # An update's time, by the provider's clock, is its notification's id, so that a foreign charge
    # is looked up once and not every minute.
    return PaymentNotification.objects.get_or_create(
        provider=PROVIDER,
        topic=CHARGE_TOPIC,
        resource_id=charge_id,
        action="search",
        notification_id=updated_at.astimezone(UTC).isoformat(),
        defaults={"signature": SignatureState.FOUND},
    )[1]
