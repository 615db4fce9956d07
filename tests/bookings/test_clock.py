"""work/clock_jumps.py: what a clock that was ahead planned is done once the clock is right."""

from datetime import timedelta
from uuid import uuid4

import pytest
import time_machine
from django.core import mail
from django.utils import timezone

from bookings.domain.lifecycle.paying import mark_paid
from bookings.models import (
    CALENDAR,
    ClassStatus,
    Heartbeat,
    MoneyWay,
    Notice,
    NoticeKind,
    Payment,
    PaymentNotification,
    PaymentStatus,
    PurchaseState,
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
    HoldFactory,
    PaymentFactory,
    PlaceFactory,
    PurchaseFactory,
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
        mark_paid(virtual_class.pk, None)

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
    PaymentFactory()
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


@pytest.mark.parametrize(
    ("sale", "kept"),
    [
        ({"kept_for": MoneyWay.ONLINE}, 15 * MINUTE),
        ({"kept_for": MoneyWay.TRANSFER}, DAY),
        ({}, 2 * DAY),
        ({"kept_for": MoneyWay.ONLINE, "by_teacher": True}, 2 * DAY),
    ],
    ids=["online", "transfer", "by hand", "booked by the teacher"],
)
def test_what_is_to_be_paid_is_kept_for_its_length_from_now(sale, kept):
    place = PlaceFactory(**sale, kept_until=timezone.now() + 3 * DAY)

    assert bring_back_plans() == 1

    place.refresh_from_db()
    assert abs(place.kept_until - timezone.now() - kept) < MINUTE
    assert bring_back_plans() == 0


def test_what_is_not_kept_any_more_is_left_alone():
    PlaceFactory(state=PurchaseState.LAPSED, kept_until=timezone.now() + 3 * DAY)

    assert bring_back_plans() == 0


def test_refund_of_a_clock_that_was_ahead_is_due_now():
    payment = PaymentFactory()
    charge = payment.charges.create(
        charge_id="1",
        amount=1,
        currency="ARS",
        status="approved",
        provider_updated_at=timezone.now(),
    )
    refund = charge.refunds.create(
        purchase=payment.purchase,
        way=MoneyWay.ONLINE,
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
    virtual_class = VirtualClassFactory(
        booked_by=host, status=ClassStatus.CANCELLED, amount_kept=0, refund_reason="cancelled"
    )
    PaymentFactory(
        purchase=virtual_class.purchase,
        status=status,
        approved_at=timezone.now(),
        next_check_at=tomorrow,
    )

    assert bring_back_plans() == 0

    assert Payment.objects.get().next_check_at == tomorrow


@pytest.mark.parametrize(
    ("place", "brought_back"),
    [
        ({"state": PurchaseState.PAID}, 0),
        ({"state": PurchaseState.ENDED, "amount_kept": 400_000}, 0),
        ({"state": PurchaseState.ENDED, "amount_kept": 200_000}, 1),
        ({"state": PurchaseState.ENDED, "amount_kept": 0}, 1),
        ({"state": PurchaseState.KEPT}, 1),
    ],
    ids=["paid", "left late", "left for half", "left in time", "kept"],
)
def test_daily_look_at_the_money_of_a_place_stays_daily(place, brought_back):
    now = timezone.now()
    has_ended = place["state"] == PurchaseState.ENDED
    purchase = PlaceFactory(
        paid_at=None if place["state"] == PurchaseState.KEPT else now,
        refund_reason="cancelled" if has_ended else "",
        **place,
    )
    PaymentFactory(
        purchase=purchase,
        status=PaymentStatus.APPROVED,
        approved_at=now,
        next_check_at=now + DAY,
    )

    assert bring_back_plans() == brought_back


@pytest.mark.parametrize(
    ("is_booked", "kept", "brought_back"),
    [(False, None, 1), (True, None, 1), (True, 0, 1), (True, 1_500_000, 0)],
    ids=["not booked", "not scheduled", "goes back", "stays"],
)
def test_money_of_a_class_is_looked_at_often_while_it_is_open(is_booked, kept, brought_back):
    now = timezone.now()
    ended = {"refund_reason": "cancelled", "amount_kept": kept, "status": ClassStatus.CANCELLED}
    more = {} if kept is None else ended
    if is_booked:
        purchase = VirtualClassFactory(paid_at=now, **more).purchase
    else:
        purchase = PurchaseFactory(paid=True)
    payment = PaymentFactory(
        purchase=purchase,
        status=PaymentStatus.APPROVED,
        approved_at=now,
        next_check_at=now + DAY,
    )

    assert bring_back_plans() == brought_back

    payment.refresh_from_db()
    assert (payment.next_check_at < now + HOUR) == bool(brought_back)
