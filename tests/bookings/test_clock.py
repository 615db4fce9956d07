"""What a clock that was ahead has planned goes on once the clock is right."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from bookings.domain.classes.times import delete_expired_holds
from bookings.domain.sales.notifications import process_notifications
from bookings.models import (
    CALENDAR,
    ClassStatus,
    Heartbeat,
    Notice,
    NoticeKind,
    PaymentNotification,
    WebhookDelivery,
)
from bookings.notices.delivery import deliver_due
from bookings.notices.due import record_due
from bookings.notices.mail import name_occasion
from bookings.webhooks.attempts import deliver_webhooks
from bookings.webhooks.events import build_test_event
from bookings.work.sweeps import sweep
from tests.bookings.webhooks.factories import WebhookEndpointFactory
from tests.factories import HoldFactory, VirtualClassFactory

DAY = timedelta(days=1)
YEAR = 365 * DAY

pytestmark = pytest.mark.django_db


def test_a_mail_is_sent_but_a_reminder_waits_for_its_class(host, student):
    virtual_class = VirtualClassFactory(
        scheduled=True, booked_by=host, start_time=timezone.now() + 5 * DAY
    )
    with time_machine.travel(timezone.now() + DAY):
        record_due(NoticeKind.CONFIRMATION, virtual_class, [host.pk])
    occasion = name_occasion(virtual_class.start_time)
    due_at = virtual_class.start_time - DAY
    Notice.draft(NoticeKind.REMINDER_DAY, virtual_class, host.pk, due_at, occasion).save()

    deliver_due()

    unsent = Notice.objects.filter(sent_at=None).values_list("kind", flat=True)
    assert list(unsent) == [NoticeKind.REMINDER_DAY]


def test_a_class_is_scheduled_though_the_calendar_was_paused(host, teacher):
    ahead = timezone.now() + YEAR
    virtual_class = VirtualClassFactory(
        booked_by=host,
        start_time=timezone.now() + 5 * DAY,
        paid_at=timezone.now(),
        scheduling_requested_at=ahead,
        next_scheduling_at=ahead,
    )
    Heartbeat.objects.create(name=CALENDAR, paused_until=ahead)

    sweep()

    virtual_class.refresh_from_db()
    assert virtual_class.status == ClassStatus.SCHEDULED


def test_a_notification_is_looked_into(mercadopago):
    PaymentNotification.objects.create(
        provider="mercadopago",
        topic="payment",
        resource_id="1",
        signature="valid",
        next_attempt_at=timezone.now() + YEAR,
    )

    process_notifications()

    assert PaymentNotification.objects.get().attempts == 1


def test_a_webhook_is_sent():
    event = build_test_event()
    event.save()
    ahead = timezone.now() + YEAR
    endpoint = WebhookEndpointFactory(resting_until=ahead)
    WebhookDelivery.objects.create(event=event, endpoint=endpoint, next_attempt_at=ahead)

    deliver_webhooks()

    assert WebhookDelivery.objects.get().attempts == 1


def test_a_hold_ends_and_one_of_a_right_clock_stays(host, student):
    now = timezone.now()
    one = {"start_time": now + DAY, "end_time": now + 1.1 * DAY, "class_type": "individual"}
    other = {**one, "start_time": now + 2 * DAY, "end_time": now + 2.1 * DAY}
    kept = HoldFactory(user=host, expires_at=now + 4 * DAY, **one)
    HoldFactory(user=student, expires_at=now + YEAR, **other)

    assert delete_expired_holds() == 1

    assert type(kept).objects.get() == kept
