"""Noticing: what the provider tells is stored before it is answered, and looked into afterwards."""

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from bookings.domain.checkout.settling import process_notifications
from bookings.models import PaymentNotification, SignatureState
from bookings.payments.notifications import Notification
from config.lib.background_jobs import BackgroundJob

# How long notices are kept that led to nothing of ours, and those that tell a payment's story.
LED_NOWHERE, TOLD = timedelta(days=7), timedelta(days=400)
NOTICES_PER_SWEEP = 1000


def record_notification(notification: Notification, signature: SignatureState) -> None:
    """Store a notice; once that is committed, have it looked into without anybody waiting.

    The same notice once more is looked into once more: nothing tells a repeat from news, and
    looking changes nothing that is settled.
    """
    now = timezone.now()
    row = PaymentNotification(
        topic=notification.topic,
        resource_id=notification.resource_id,
        action=notification.action,
        notice_id=notification.notice_id,
        signature=signature,
        received_at=now,
        next_attempt_at=now,
    )
    PaymentNotification.objects.bulk_create(
        [row],
        update_conflicts=True,
        unique_fields=["topic", "resource_id", "action", "notice_id"],
        update_fields=["signature", "received_at", "processed_at", "attempts", "next_attempt_at"],
    )
    transaction.on_commit(look_into_notifications)


def look_into_notifications() -> None:
    """Have stored notices looked into soon. What fails is left to the sweeps."""
    if settings.SETTLE_AT_ONCE:
        _job.call()


def forget_notifications() -> int:
    """Delete notices that are done and old, so that no flood of them stays; returns how many."""
    now = timezone.now()
    nothing = Q(payment=None, received_at__lt=now - LED_NOWHERE)
    closed = PaymentNotification.objects.filter(next_attempt_at=None)
    old = closed.filter(nothing | Q(received_at__lt=now - TOLD)).order_by("received_at")
    numbers = list(old.values_list("pk", flat=True)[:NOTICES_PER_SWEEP])
    return PaymentNotification.objects.filter(pk__in=numbers, next_attempt_at=None).delete()[0]


def _look() -> int:
    return process_notifications()


_job = BackgroundJob("cashier", _look, delay=timedelta(milliseconds=200))
