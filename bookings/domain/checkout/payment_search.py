"""Searching: find the payments whose notifications go to another system.

One search finds them for all bookings that wait, so its cost does not grow with their number.
"""

import logging
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from django.utils import timezone

from bookings.domain.checkout.settling import process_notifications
from bookings.domain.heartbeats import note_beat, read_beats
from bookings.domain.money.charges import DAILY
from bookings.models import Payment, PaymentCharge, PaymentNotification, SignatureState
from bookings.payments.backend import get_gateway
from bookings.payments.gateway import ChargeUpdate, PaymentError
from bookings.payments.notifications import PAYMENT

logger = logging.getLogger(__name__)

# The heartbeat of searches that succeeded: the sweep's own beats while the provider is down, too.
SEARCHED = "payment_search"
# The provider's search may lag so far behind, and its clock may differ from ours.
OVERLAP = timedelta(minutes=15)
# After an outage the search goes back no further: every payment is checked daily by itself.
LONGEST_REACH = DAILY


def search_payments() -> int:
    """Look into charges that changed lately, while a preference of another system is unpaid.

    Each change of a charge is looked into once. Returns how many changes were new to us.
    """
    now, new = timezone.now(), 0
    waiting = Payment.objects.filter(
        made_elsewhere=True, approved_at=None, next_check_at__isnull=False
    )
    if waiting.exists():
        try:
            updates = get_gateway().search_updates(since=_find_start(now))
        except PaymentError as error:
            logger.warning("The search for payments is put off: %s", error)
            return 0
        new = _store_new(updates, now)
    note_beat(SEARCHED, new)
    if new:
        process_notifications()
    return new


def _find_start(now: datetime) -> datetime:
    """Return when the last search that succeeded was, less the overlap."""
    last = read_beats().get(SEARCHED)
    if last is None or last > now:  # from the future: of a clock that was ahead
        return now - LONGEST_REACH
    return max(last - OVERLAP, now - LONGEST_REACH)


def _store_new(updates: Iterable[ChargeUpdate], now: datetime) -> int:
    """Store a notification of each update that is new to us; return how many there are.

    What is known is compared by the provider's clock only. The time of the update is the
    notification's id, so a charge that is nothing of ours is looked into once, not every minute.
    """
    told = {(one.charge_id, one.updated_at.astimezone(UTC).isoformat()): one for one in updates}
    ids = [charge_id for charge_id, _ in told]
    recorded = dict(
        PaymentCharge.objects.filter(charge_id__in=ids).values_list(
            "charge_id", "provider_updated_at"
        )
    )
    found = PaymentNotification.objects.filter(
        topic=PAYMENT, resource_id__in=ids, signature=SignatureState.FOUND
    )
    looked_into = set(found.values_list("resource_id", "notice_id"))
    rows = [
        PaymentNotification(
            topic=PAYMENT,
            resource_id=charge_id,
            action="search",
            notice_id=notice_id,
            signature=SignatureState.FOUND,
            received_at=now,
            next_attempt_at=now,
        )
        for (charge_id, notice_id), one in told.items()
        if (charge_id, notice_id) not in looked_into
        and not (charge_id in recorded and recorded[charge_id] >= one.updated_at)
    ]
    # Another worker may store the same ones at the same moment.
    PaymentNotification.objects.bulk_create(rows, ignore_conflicts=True)
    return len(rows)
