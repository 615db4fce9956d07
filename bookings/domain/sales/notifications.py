"""Notifications from the payment provider, and a search for those that go elsewhere.

Each is stored first, and processed later.
"""

import logging
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from bookings.domain.batches import work_through
from bookings.domain.money.charges import DAILY
from bookings.domain.sales.settling import LEASE, PAYMENTS_PER_SWEEP, settle
from bookings.models import (
    Payment,
    PaymentCharge,
    PaymentNotification,
    SignatureState,
    note_beat,
    read_beats,
)
from bookings.payments.backend import PROVIDERS, get_gateway
from bookings.payments.gateway import (
    CHARGE_TOPIC,
    PaymentError,
    PaymentRefusedError,
    PaymentUnavailableError,
)
from config.lib.background_jobs import BackgroundJob
from config.lib.retries import backoff, claim, is_due
from config.lib.throttling import is_too_often

logger = logging.getLogger(__name__)

# How long notifications without a payment of ours are kept, and the others.
UNRELATED_LIFE, RELATED_LIFE = timedelta(days=7), timedelta(days=400)
DELETIONS_PER_SWEEP = 1000
# The sweeps read every open payment anyway, so notifications are not retried for ever.
NOTIFICATION_ATTEMPTS = 8
FIRST_WAIT, LONGEST_WAIT = timedelta(minutes=2), timedelta(hours=4)
# The search also finds charges of other businesses, whose orders may stay unknown.
FOUND_ATTEMPTS = 4
# The provider does not know yet what a notification is about.
UNKNOWN_ORDER = "unknown order"
# The heartbeat of searches that succeeded; the sweep's own also beats while the provider is down.
SEARCHED = "payment_search"
# The provider's search may lag behind, and its clock may differ from ours, by this much.
OVERLAP = timedelta(minutes=15)


class ForgedNotificationError(Exception):
    """The signature is wrong."""


class TooManyNotificationsError(Exception):
    """Too many arrive without a valid signature."""


def accept_notification(
    *,
    provider: str,
    query: Mapping[str, str],
    headers: Mapping[str, str],
    body: bytes,
    address: str,
) -> None:
    """Verify, limit and store a notification; drop one that cannot be looked up or trusted.

    Raises TooManyNotificationsError, ForgedNotificationError.
    """
    read = PROVIDERS[provider].read_notification(query, headers, body)
    if read is None:
        return
    notification, verdict = read
    if notification.signature != SignatureState.VALID and (
        is_too_often("notices", address, limit=settings.MAX_UNVERIFIED_NOTIFICATIONS)
        or is_too_often("notices", "everybody", limit=settings.MAX_UNVERIFIED_NOTIFICATIONS_OF_ALL)
    ):
        raise TooManyNotificationsError
    if verdict == "forged":
        raise ForgedNotificationError
    if verdict == "take":
        notification.provider = provider
        # A repeat is read again: it may be news.
        PaymentNotification.objects.bulk_create(
            [notification],
            update_conflicts=True,
            unique_fields=["provider", "topic", "resource_id", "action", "notification_id"],
            update_fields=[
                "signature",
                "received_at",
                "processed_at",
                "attempts",
                "next_attempt_at",
            ],
        )
        transaction.on_commit(job.call)


def process_notifications() -> int:
    due = PaymentNotification.objects.filter(
        is_due("next_attempt_at", LONGEST_WAIT), processed_at=None
    ).order_by("next_attempt_at", "id")
    return work_through(
        due[:PAYMENTS_PER_SWEEP], _process, outage=PaymentUnavailableError, name="Notification"
    )


def forget_notifications() -> int:
    now = timezone.now()
    unrelated = Q(payment=None, received_at__lt=now - UNRELATED_LIFE)
    done = PaymentNotification.objects.filter(next_attempt_at=None)
    old = done.filter(unrelated | Q(received_at__lt=now - RELATED_LIFE)).order_by("received_at")
    return done.filter(pk__in=old.values("pk")[:DELETIONS_PER_SWEEP]).delete()[0]


def _process(notification: PaymentNotification) -> bool:
    now = timezone.now()
    row = PaymentNotification.objects.filter(
        pk=notification.pk, received_at=notification.received_at
    )
    attempts = notification.attempts + 1
    if not claim(row, notification, "next_attempt_at", LEASE, attempts=attempts):
        return False
    again, payment = None, None
    if attempts < NOTIFICATION_ATTEMPTS:
        again = now + backoff(attempts, first=FIRST_WAIT, longest=LONGEST_WAIT)
    try:
        payment, failure = _look_into(notification)
    except PaymentRefusedError as error:
        failure = str(error)[:200]  # a retry would change nothing
    except Exception as error:
        why = str(error) if isinstance(error, PaymentError) else type(error).__name__
        row.update(next_attempt_at=again, failure=why[:200])
        raise
    if failure == UNKNOWN_ORDER:
        is_lost = notification.signature == SignatureState.FOUND and attempts >= FOUND_ATTEMPTS
        row.update(next_attempt_at=None if is_lost else again, failure=failure)
        return False
    # A repeat that arrived meanwhile has changed ``received_at``: that one stays open.
    row.update(processed_at=now, next_attempt_at=None, failure=failure, payment=payment)
    return True


def _look_into(notification: PaymentNotification) -> tuple[Payment | None, str]:
    """Settle its payment, or return why there is none."""
    found = get_gateway(notification.provider).find_notified(
        topic=notification.topic, resource_id=notification.resource_id
    )
    if found is None:
        return None, "unknown charge"
    preference_id = found.preference_id or _find_by_reference(found.reference)
    if preference_id is None and found.preference_id is None:
        return None, UNKNOWN_ORDER
    if not preference_id:
        return None, "no preference"
    payment = settle(preference_id, charge_id=found.charge_id)
    return payment, "" if payment else "no payment"


def _find_by_reference(reference: str) -> str | None:
    try:
        payment_id = uuid.UUID(reference)
    except ValueError:
        return None
    return Payment.objects.filter(pk=payment_id).values_list("preference_id", flat=True).first()


def search_payments() -> int:
    """Return how many changes were new."""
    now, new = timezone.now(), 0
    waiting = Payment.objects.filter(
        made_elsewhere=True, approved_at=None, next_check_at__isnull=False
    )
    providers = set(waiting.order_by().values_list("provider", flat=True))
    if providers:
        last = read_beats().get(SEARCHED)
        since = now - DAILY  # no further: every payment is checked daily by itself
        if last and last <= now:  # else a clock was ahead
            since = max(last - OVERLAP, since)
        try:
            new = sum(_search(provider, since) for provider in providers)
        except PaymentError as error:
            logger.warning("The search for payments is put off: %s", error)
            return 0
    note_beat(SEARCHED, new)
    if new:
        process_notifications()
    return new


def _search(provider: str, since: datetime) -> int:
    updates = get_gateway(provider).search_updates(since=since)
    return sum(_store_new(provider, charge_id, at) for charge_id, at in updates)


def _store_new(provider: str, charge_id: str, updated_at: datetime) -> bool:
    charges = PaymentCharge.objects.filter(provider=provider, charge_id=charge_id)
    if charges.filter(provider_updated_at__gte=updated_at).exists():
        return False
    # An update's time, by the provider's clock, is its notification's id, so that a foreign charge
    # is looked up once and not every minute.
    return PaymentNotification.objects.get_or_create(
        provider=provider,
        topic=CHARGE_TOPIC,
        resource_id=charge_id,
        action="search",
        notification_id=updated_at.astimezone(UTC).isoformat(),
        defaults={"signature": SignatureState.FOUND},
    )[1]


job = BackgroundJob("process_notifications", process_notifications, delay=timedelta(seconds=0.2))
