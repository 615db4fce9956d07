"""work/clock_jumps.py: what a clock that was ahead planned is done once the clock is right."""

from datetime import timedelta
from uuid import uuid4

import pytest
import time_machine
from django.core import mail
from django.utils import timezone

from bookings.models import (
    CALENDAR,
    ClassStatus,
    Heartbeat,
    Notice,
    NoticeKind,
    Payment,
    PaymentNotification,
    PaymentStatus,
    Refund,
    SeatState,
    VirtualClass,
    WaitingListEntry,
    WaitingState,
    WebhookDelivery,
)
from bookings.notices.delivery import deliver_due
from bookings.notices.due import record_due
from bookings.webhooks.payloads import build_test_event
from bookings.work.clock_jumps import bring_back_plans
from bookings.work.sweeps import sweep
from tests.booking import book_class
from tests.bookings.webhooks.factories import WebhookEndpointFactory
from tests.factories import (
    BankTransferFactory,
    HoldFactory,
    SeatFactory,
    VirtualClassFactory,
)

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)

pytestmark = pytest.mark.django_db


@pytest.fixture
def clock_ahead():
    """A clock that is a day ahead inside of the block."""
    return lambda: time_machine.travel(timezone.now() + DAY)


def book(host):
    start = timezone.now() + 5 * DAY
    return book_class(
        user=host,
        start=start,
        end=start + HOUR,
        is_group_class=False,
        students_count=1,
        price=0,
        preference_id=f"preference-{uuid4()}",
    )


def test_class_paid_while_the_clock_was_ahead_is_scheduled_and_told(host, teacher, clock_ahead):
    with clock_ahead():
        virtual_class = book(host)
        VirtualClass.objects.update(paid_at=timezone.now(), scheduling_requested_at=timezone.now())

    with time_machine.travel(timezone.now() + 2 * MINUTE):
        sweep()
    with time_machine.travel(timezone.now() + 4 * MINUTE):
        sweep()

    virtual_class.refresh_from_db()
    assert virtual_class.status == ClassStatus.SCHEDULED
    assert NoticeKind.CONFIRMATION in Notice.objects.filter(sent_at__isnull=False).values_list(
        "kind", flat=True
    )


PLANS = {
    "scheduling": (VirtualClass, {"scheduling_requested_at": DAY}, {"scheduling_requested_at"}),
    "class's backoff": (VirtualClass, {"next_scheduling_at": DAY + MINUTE}, set()),
    "event's update": (
        VirtualClass,
        {"event_update_requested_at": DAY},
        {"event_update_requested_at"},
    ),
    "event's withdrawal": (
        VirtualClass,
        {"withdrawal_requested_at": DAY},
        {"withdrawal_requested_at"},
    ),
    "mail": (Notice, {"due_at": DAY, "next_attempt_at": DAY}, {"due_at", "next_attempt_at"}),
    "mail's backoff": (Notice, {"next_attempt_at": DAY + 5 * MINUTE}, {"next_attempt_at"}),
    "payment": (Payment, {"next_check_at": DAY + MINUTE}, {"next_check_at"}),
    "notification": (PaymentNotification, {"next_attempt_at": DAY}, {"next_attempt_at"}),
    "outage's pause": (Heartbeat, {"paused_until": DAY}, {"paused_until"}),
    "delivery": (WebhookDelivery, {"due_at": DAY, "next_attempt_at": DAY}, {"next_attempt_at"}),
    "delivery's backoff": (
        WebhookDelivery,
        {"next_attempt_at": DAY + 5 * timedelta(seconds=1)},
        {"next_attempt_at"},
    ),
}


@pytest.fixture
def rows(host):
    """One row of each kind that waits for its time."""
    virtual_class = VirtualClassFactory(booked_by=host)
    record_due(NoticeKind.CONFIRMATION, virtual_class, [host.pk])
    Payment.objects.create(user=host, amount=1, preference_id="paid", quote={})
    PaymentNotification.objects.create(topic="payment", resource_id="1", signature="valid")
    Heartbeat.objects.create(name=CALENDAR)
    event = build_test_event()
    event.save()
    WebhookDelivery.objects.create(event=event, endpoint=WebhookEndpointFactory(), attempts=1)


@pytest.mark.parametrize(("model", "ahead", "now"), PLANS.values(), ids=PLANS)
def test_what_is_planned_beyond_its_wait_is_due_now(rows, model, ahead, now):
    moment = timezone.now()
    model.objects.update(**{name: moment + wait for name, wait in ahead.items()})

    assert bring_back_plans() == 1

    row = model.objects.get()
    for name in ahead:
        value = getattr(row, name)
        assert value is None or value <= timezone.now()
        assert (value is not None) == (name in now or name == "due_at")


def test_plans_of_a_right_clock_are_left_alone(rows, host):
    """The longest wait of each kind, and a hold and an offer that were just made."""
    now = timezone.now()
    VirtualClass.objects.update(
        scheduling_requested_at=now,
        next_scheduling_at=now + HOUR,
        event_update_requested_at=now,
        withdrawal_requested_at=now,
    )
    Notice.objects.update(next_attempt_at=now + 3.7 * HOUR)
    Payment.objects.update(next_check_at=now + HOUR)
    PaymentNotification.objects.update(next_attempt_at=now + 256 * MINUTE)
    Heartbeat.objects.update(paused_until=now + HOUR)
    WebhookDelivery.objects.update(next_attempt_at=now + 2 * MINUTE)
    reminded = VirtualClass.objects.get()
    Notice.draft(NoticeKind.REMINDER_DAY, reminded, host.pk, now + 20 * DAY).save()

    assert bring_back_plans() == 0


def test_hold_and_offer_end_after_their_length_from_now(host, student, settings):
    now = timezone.now()
    hold = HoldFactory(
        user=host,
        start_time=now + 5 * DAY,
        end_time=now + 5 * DAY + HOUR,
        class_type="individual",
        expires_at=now + DAY + 15 * MINUTE,
    )
    offer = WaitingListEntry.objects.create(
        virtual_class=VirtualClassFactory(scheduled=True, start_time=now + 9 * DAY),
        user=student,
        state=WaitingState.OFFERED,
        offered_at=now + DAY,
        offer_expires_at=now + DAY + settings.WAITING_LIST_WINDOW,
    )

    bring_back_plans()

    hold.refresh_from_db()
    offer.refresh_from_db()
    assert abs(hold.expires_at - now - 15 * MINUTE) < MINUTE
    assert abs(offer.offer_expires_at - now - settings.WAITING_LIST_WINDOW) < MINUTE


@pytest.mark.parametrize(("by_transfer", "kept"), [(False, 15 * MINUTE), (True, DAY)])
def test_a_seat_is_held_for_its_length_from_now(by_transfer, kept):
    seat = SeatFactory(expires_at=timezone.now() + 3 * DAY)
    if by_transfer:
        BankTransferFactory(seat=seat)

    bring_back_plans()
    seat.refresh_from_db()

    assert abs(seat.expires_at - timezone.now() - kept) < MINUTE


@pytest.mark.parametrize(("days", "is_brought_back"), [(2, False), (3, True)])
def test_a_hold_of_the_teacher_s_lasts_two_days(host, days, is_brought_back):
    now = timezone.now()
    hold = HoldFactory(
        user=host,
        start_time=now + 5 * DAY,
        end_time=now + 5 * DAY + HOUR,
        class_type="individual",
        expires_at=now + days * DAY,
        made_by_teacher=True,
    )

    assert bring_back_plans() == is_brought_back

    hold.refresh_from_db()
    assert abs(hold.expires_at - now - 2 * DAY) < MINUTE


def test_a_hold_of_a_class_paid_by_hand_lasts_two_days_too(host):
    now = timezone.now()
    hold = HoldFactory(
        user=host,
        virtual_class=VirtualClassFactory(booked_by=host, has_preference=False),
        start_time=now + 5 * DAY,
        end_time=now + 5 * DAY + HOUR,
        class_type="individual",
        expires_at=now + 2 * DAY,
    )

    assert not bring_back_plans()

    hold.refresh_from_db()
    assert abs(hold.expires_at - now - 2 * DAY) < MINUTE


def test_refund_of_a_clock_that_was_ahead_is_due_now(host):
    payment = Payment.objects.create(user=host, amount=1, preference_id="paid", quote={})
    charge = payment.charges.create(
        charge_id="1",
        amount=1,
        currency="ARS",
        status="approved",
        provider_updated_at=timezone.now(),
    )
    refund = Refund.objects.create(
        charge=charge,
        amount=1,
        key="key",
        next_attempt_at=timezone.now() + DAY,
        reason="never_booked",
    )

    assert bring_back_plans() == 1

    refund.refresh_from_db()
    assert refund.next_attempt_at <= timezone.now()


def test_a_mail_from_the_future_does_not_replace_a_later_one(host, student, clock_ahead):
    """A class was moved while the clock was ahead, and again afterwards."""
    soon = timezone.now() + 5 * DAY
    virtual_class = VirtualClassFactory(scheduled=True, booked_by=host, start_time=soon)
    with clock_ahead():
        record_due(NoticeKind.RESCHEDULED, virtual_class, [host.pk], "1")
        deliver_due()
    mail.outbox.clear()

    record_due(NoticeKind.RESCHEDULED, virtual_class, [host.pk], "2")
    deliver_due()

    assert [letter.to for letter in mail.outbox] == [[host.email]]


@pytest.mark.parametrize("status", [PaymentStatus.REFUNDED, PaymentStatus.CHARGED_BACK])
def test_daily_look_at_money_that_went_back_with_its_class_stays_daily(host, status):
    tomorrow = timezone.now() + DAY
    virtual_class = VirtualClassFactory(booked_by=host, status=ClassStatus.CANCELLED)
    Payment.objects.create(
        user=host,
        virtual_class=virtual_class,
        amount=1,
        preference_id="returned",
        quote={},
        status=status,
        approved_at=timezone.now(),
        next_check_at=tomorrow,
    )

    assert bring_back_plans() == 0

    assert Payment.objects.get().next_check_at == tomorrow


@pytest.mark.parametrize(
    ("seat", "brought_back"),
    [
        ({"state": SeatState.TAKEN}, 0),
        ({"state": SeatState.LEFT, "refund_reason": "cancelled", "amount_kept": 400_000}, 0),
        ({"state": SeatState.LEFT, "refund_reason": "cancelled", "amount_kept": 200_000}, 1),
        ({"state": SeatState.LEFT, "refund_reason": "cancelled", "amount_kept": 0}, 1),
        ({"state": SeatState.HELD}, 1),
    ],
    ids=["taken", "left late", "left for half", "left in time", "held"],
)
def test_daily_look_at_the_money_of_a_seat_stays_daily(host, seat, brought_back):
    payment = Payment.objects.create(
        user=host,
        amount=400_000,
        preference_id="of a seat",
        status=PaymentStatus.APPROVED,
        approved_at=timezone.now(),
        next_check_at=timezone.now() + DAY,
    )
    SeatFactory(user=host, payment=payment, paid_at=timezone.now(), **seat)

    assert bring_back_plans() == brought_back
