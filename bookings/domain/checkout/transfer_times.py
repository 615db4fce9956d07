"""How long a time is kept for a bank transfer, and for whom."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.models import User
from bookings.domain.exceptions import (
    TooManyTransfersError,
    TransferNotOfferedError,
    TransfersOffError,
    TransferTooLateError,
)
from bookings.models import (
    BookingRules,
    ClassStatus,
    Hold,
    NoticeKind,
    Seat,
    SeatState,
    TransferState,
    VirtualClass,
)
from bookings.notices.due import plan_mail
from bookings.payments.backend import is_provider_configured

# Who let this many kept times go by unpaid in that time, gets no other one.
MAX_LAPSED, RECENTLY = 2, timedelta(days=7)


class PayWay(StrEnum):
    ONLINE = "mercadopago"
    TRANSFER = "transferencia"


@dataclass(frozen=True, slots=True)
class BankAccount:
    """Where students transfer to. alias: an alias, CBU or CVU."""

    alias: str
    holder: str


def find_account() -> BankAccount | None:
    """Return the teacher's account; None if she takes no transfers."""
    rules = BookingRules.load()
    if not rules.transfer_alias:
        return None
    return BankAccount(rules.transfer_alias, rules.transfer_holder)


def keep_until(start: datetime, now: datetime) -> datetime:
    """Return until when a time is kept for a transfer that is chosen, or announced, now."""
    rules = BookingRules.load()
    latest = start - timedelta(minutes=rules.minimum_notice_minutes)
    return min(now + timedelta(hours=rules.transfer_hours), latest)


def refuse_to_wait(
    user: User,
    start: datetime,
    now: datetime,
    *,
    besides: VirtualClass | None = None,
    for_seat: Seat | None = None,
) -> None:
    """Raise TransferNotOfferedError if no time is kept for a transfer of this person.

    A kept time costs nothing and may last for days, so a person whom the teacher does not know has
    one at once, and none after some that were not paid. besides, for_seat: the class or seat in
    question.
    """
    if find_account() is None:
        raise TransfersOffError
    if keep_until(start, now) < now + timedelta(minutes=BookingRules.load().hold_minutes):
        raise TransferTooLateError
    unpaid = VirtualClass.objects.filter(
        booked_by=user, status=ClassStatus.PENDING, paid_at=None, class_price__gt=0
    )
    unpaid = unpaid.exclude(pk=besides.pk) if besides else unpaid
    awaited = Q(hold__for_transfer=True, hold__expires_at__gt=now)
    awaited |= Q(transfers__state=TransferState.ANNOUNCED)
    seats = user.transfers.filter(seat__state=SeatState.HELD, state=TransferState.ANNOUNCED)
    kept = unpaid.filter(awaited).distinct().count() + seats.exclude(seat=for_seat).count()
    if kept >= _most_at_once(user):
        raise TooManyTransfersError
    if _count_lapsed(user, unpaid.exclude(awaited), now) >= MAX_LAPSED:
        raise TooManyTransfersError


def awaits_transfer(*, user: User, start: datetime, way: PayWay) -> bool:
    """Return True if a booking's time is kept for a transfer.

    Without a provider that is so whenever a transfer is offered. Raises TransferNotOfferedError if
    the student chose it and may not.
    """
    if is_provider_configured() and way != PayWay.TRANSFER:
        return False
    try:
        refuse_to_wait(user, start, timezone.now())
    except TransferNotOfferedError:
        if is_provider_configured():
            raise
        return False
    return True


def keep_for_transfer(hold: Hold, now: datetime) -> None:
    """Keep the time of a booked hold for a transfer; its person is locked.

    Raises TransferNotOfferedError.
    """
    refuse_to_wait(hold.user, hold.start_time, now, besides=hold.virtual_class)
    hold.expires_at = max(hold.expires_at, keep_until(hold.start_time, now))
    hold.for_transfer = True
    hold.save(update_fields=["expires_at", "for_transfer"])
    if hold.virtual_class is not None:
        plan_mail(
            NoticeKind.TRANSFER_OVER, hold.virtual_class, hold.user_id, due_at=hold.expires_at
        )


def keep_seat_for_transfer(seat: Seat, start: datetime, now: datetime) -> None:
    """Keep a seat for a transfer; its class and its person are locked.

    Raises TransferNotOfferedError.
    """
    refuse_to_wait(seat.user, start, now, for_seat=seat)
    seat.expires_at = max(seat.expires_at, keep_until(start, now))
    seat.save(update_fields=["expires_at", "updated_at"])


def _count_lapsed(user: User, unpaid: QuerySet[VirtualClass], now: datetime) -> int:
    """Count the kept times of a person that lately went by unpaid."""
    # The mail about the end of a kept time exists for each that was kept.
    ended = Q(
        notices__kind=NoticeKind.TRANSFER_OVER,
        notices__user=user,
        notices__due_at__range=(now - RECENTLY, now),
    )
    refused = user.transfers.filter(
        seat__isnull=False, state=TransferState.REFUSED, decided_at__gt=now - RECENTLY
    )
    # A class that lost its time to a paid one is not the person's fault.
    lapsed = unpaid.filter(ended, scheduling_refusal="").distinct()
    return lapsed.count() + refused.count()


def _most_at_once(user: User) -> int:
    """Return for how many classes of a person times are kept at once."""
    has_paid = user.booked_classes.filter(paid_at__isnull=False, class_price__gt=0).exists()
    return settings.MAX_UNPAID_HOLDS if has_paid else 1
