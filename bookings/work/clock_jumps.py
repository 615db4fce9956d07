"""Repair plans made by a clock that was ahead: values beyond their column's longest wait."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from bookings.domain.calendar.outages import LONGEST_RETRY_AFTER
from bookings.domain.checkout import notifications
from bookings.domain.money import charges, refunds
from bookings.models import (
    GIVEN_UP,
    LONGEST_HOLD,
    MONEY_GONE,
    PAY_WITHIN,
    UNPAID_STATES,
    BookingRules,
    ClassStatus,
    Heartbeat,
    Hold,
    MoneyWay,
    Notice,
    NoticeKind,
    Payment,
    PaymentNotification,
    PaymentStatus,
    Purchase,
    PurchaseState,
    Refund,
    VirtualClass,
    WaitingListEntry,
    WaitingState,
    WebhookDelivery,
    WebhookEndpoint,
)
from bookings.notices import delivery
from bookings.notices.registry import PLANNED
from bookings.webhooks.outcomes import DELAYS, LEASE, MAX_ATTEMPTS

SPREAD = 1.25  # waits are spread by up to a quarter
MARGIN = timedelta(minutes=1)  # between the clocks of two machines

Plans = Iterator[tuple[QuerySet[Any], dict[str, Any]]]


def bring_back_plans() -> int:
    """Plan for now what is planned beyond its longest wait; return the number of rows.

    Holds and offers get their full length again: their students may be paying right now.
    """
    now = timezone.now()
    plans = (_classes, _money, _notices, _webhooks, _holds_and_offers)
    return sum(rows.update(**changes) for plan in plans for rows, changes in plan(now))


def _classes(now: datetime) -> Plans:
    alive = VirtualClass.objects.filter(
        status__in=[ClassStatus.PENDING, ClassStatus.SCHEDULED],
        start_time__gt=now - settings.MAX_CLASS_LENGTH,
    )
    for mark in ("scheduling_requested_at", "event_update_requested_at"):
        yield _beyond(alive, mark, now), {mark: now}
    # A cancelled class may be of any time; these rows are few.
    for mark in ("withdrawal_requested_at", "guests_changed_at"):
        yield _beyond(VirtualClass.objects.all(), mark, now), {mark: now}
    longest = LONGEST_RETRY_AFTER
    yield _beyond(alive, "next_scheduling_at", now, longest), {"next_scheduling_at": None}
    yield _beyond(Heartbeat.objects.all(), "paused_until", now, longest), {"paused_until": now}


def _money(now: datetime) -> Plans:
    longest = notifications.LONGEST_WAIT * SPREAD
    rows = PaymentNotification.objects.all()
    yield _beyond(rows, "next_attempt_at", now, longest), {"next_attempt_at": now}
    longest = refunds.LONGEST_WAIT * SPREAD
    yield _beyond(Refund.objects.all(), "next_attempt_at", now, longest), {"next_attempt_at": now}
    is_unpaid = Q(approved_at=None, created_at__gt=now - charges.OPEN_DAYS)
    is_ungiven = Q(purchase__state__in=UNPAID_STATES) | Q(purchase__state=PurchaseState.PAID) & (
        Q(purchase__virtual_class=None) | Q(purchase__virtual_class__status=ClassStatus.PENDING)
    )
    # Once the whole refund has left, the payment is checked daily.
    is_part = Q(status=PaymentStatus.PARTIALLY_REFUNDED, purchase__amount_kept__gt=0)
    is_returning = Q(purchase__state__in=GIVEN_UP, purchase__amount_kept__lt=F("amount")) & ~is_part
    is_unfinished = Q(approved_at__isnull=False) & (is_ungiven | is_returning)
    often = Payment.objects.filter(is_unpaid | is_unfinished & ~Q(status__in=MONEY_GONE))
    yield _beyond(often, "next_check_at", now, charges.LONGEST_WAIT), {"next_check_at": now}
    daily = Payment.objects.all()
    yield _beyond(daily, "next_check_at", now, charges.DAILY), {"next_check_at": now}


def _notices(now: datetime) -> Plans:
    unsent = Notice.objects.filter(next_attempt_at__isnull=False)
    at_end = [NoticeKind.TRANSFER_OVER, NoticeKind.SEAT_TRANSFER_OVER]
    # A reminder follows from its class's start, which no clock can shift.
    daily = unsent.filter(kind=NoticeKind.DAILY_BOOKINGS)
    longest = timedelta(hours=26)  # a day, and what the clocks may be put back
    yield _beyond(daily, "due_at", now, longest), {"due_at": now, "next_attempt_at": now}
    news = unsent.exclude(kind__in=[*PLANNED, *at_end, NoticeKind.DAILY_BOOKINGS])
    yield _beyond(news, "due_at", now), {"due_at": now, "next_attempt_at": now}
    # Due when a hold expires, which is brought back too.
    ends = unsent.filter(kind__in=at_end)
    longest = timedelta(hours=BookingRules.load().transfer_hours)
    end = now + longest
    yield _beyond(ends, "due_at", now, longest), {"due_at": end, "next_attempt_at": end}
    put_off = unsent.filter(next_attempt_at__gt=F("due_at"))
    longest = delivery.LONGEST_DELAY * SPREAD
    yield _beyond(put_off, "next_attempt_at", now, longest), {"next_attempt_at": F("due_at")}


def _webhooks(now: datetime) -> Plans:
    unsent = WebhookDelivery.objects.filter(next_attempt_at__isnull=False)
    yield _beyond(unsent, "due_at", now), {"due_at": now, "next_attempt_at": now}
    too_late = Q()
    for attempts in range(1, MAX_ATTEMPTS + 1):
        longest = max(DELAYS[min(attempts, len(DELAYS)) - 1] * SPREAD, LEASE)
        too_late |= Q(attempts=attempts, next_attempt_at__gt=now + longest + MARGIN)
    yield unsent.filter(too_late), {"next_attempt_at": now}
    endpoints = WebhookEndpoint.objects.all()
    yield _beyond(endpoints, "resting_until", now, LONGEST_RETRY_AFTER), {"resting_until": now}


def _holds_and_offers(now: datetime) -> Plans:
    rules = BookingRules.load()
    ends_at = now + timedelta(minutes=rules.hold_minutes)
    chosen = Hold.objects.chosen()
    yield _beyond(chosen, "expires_at", now, LONGEST_HOLD), {"expires_at": ends_at}
    kept = Purchase.objects.filter(state=PurchaseState.KEPT)
    online = kept.filter(by_teacher=False, kept_for=MoneyWay.ONLINE)
    yield _beyond(online, "kept_until", now, LONGEST_HOLD), {"kept_until": ends_at}
    transfers = kept.filter(by_teacher=False, kept_for=MoneyWay.TRANSFER)
    longest = timedelta(hours=rules.transfer_hours)
    yield _beyond(transfers, "kept_until", now, longest), {"kept_until": now + longest}
    # What is paid by hand is kept as long as what the teacher books.
    waiting = kept.exclude(kept_for=MoneyWay.TRANSFER)
    waiting = waiting.filter(Q(by_teacher=True) | Q(kept_for__in=["", MoneyWay.CASH]))
    yield _beyond(waiting, "kept_until", now, PAY_WITHIN), {"kept_until": now + PAY_WITHIN}
    window = settings.WAITING_LIST_WINDOW
    offers = WaitingListEntry.objects.filter(state=WaitingState.OFFERED)
    yield _beyond(offers, "offer_expires_at", now, window), {"offer_expires_at": now + window}


def _beyond(
    rows: QuerySet[Any], column: str, now: datetime, longest: timedelta = timedelta()
) -> QuerySet[Any]:
    return rows.filter(**{f"{column}__gt": now + longest + MARGIN})
