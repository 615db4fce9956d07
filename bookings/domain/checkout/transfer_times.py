"""How long, and for whom, times and seats are kept for transfers."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from bookings.domain.exceptions import TransferNotOfferedError, TransfersOffError
from bookings.domain.lifecycle.deadline_moves import find_latest_end
from bookings.domain.money.seat_refunds import UNSETTLED
from bookings.models import (
    BookingRules,
    ClassEvent,
    ClassLog,
    ClassStatus,
    Hold,
    NoticeKind,
    OpenClass,
    Seat,
    SeatState,
    TransferState,
    VirtualClass,
)
from bookings.notices.due import plan_mail
from bookings.payments.backend import is_provider_configured

# A person with this many unpaid kept times within that time gets no other one.
MAX_LAPSED, RECENTLY = 2, timedelta(days=7)
TOO_LATE = _("Falta poco para la clase: una transferencia no llega a confirmarse a tiempo.")
TOO_MANY = _(
    "Ya te guardamos otro horario por transferencia, o se te vencieron varios sin pagar. Esta "
    "clase pagala de otra forma."
)


class PayWay(StrEnum):
    ONLINE = "mercadopago"
    TRANSFER = "transferencia"


@dataclass(frozen=True, slots=True)
class BankAccount:
    alias: str
    holder: str


def find_account() -> BankAccount | None:
    rules = BookingRules.load()
    if not rules.transfer_alias:
        return None
    return BankAccount(rules.transfer_alias, rules.transfer_holder)


def keep_until(start: datetime, now: datetime, open_class: OpenClass | None = None) -> datetime:
    hours = BookingRules.load().transfer_hours
    return min(now + timedelta(hours=hours), find_latest_end(start, open_class))


def keep_seat_until(seat: Seat, now: datetime) -> datetime:
    return keep_until(seat.open_class.virtual_class.start_time, now, seat.open_class)


def refuse_to_wait(
    user: User, until: datetime, now: datetime, *, besides: VirtualClass | Seat | None = None
) -> None:
    """Raise TransferNotOfferedError if no time is kept ``until`` then for this person's transfer.

    A student who never paid has one kept time at once; after MAX_LAPSED unpaid ones no student gets
    another. besides: the class or seat in question.
    """
    if find_account() is None:
        raise TransfersOffError
    if until < now + timedelta(minutes=BookingRules.load().hold_minutes):
        raise TransferNotOfferedError(TOO_LATE)
    classes = VirtualClass.objects.filter(booked_by=user, paid_at=None, class_price__gt=0)
    seats = user.seats.filter(state__in=UNSETTLED, paid_at=None, price__gt=0)
    if besides is not None:  # its key is in one of the two
        classes, seats = classes.exclude(pk=besides.pk), seats.exclude(pk=besides.pk)
    is_announced = Q(transfers__state=TransferState.ANNOUNCED)
    awaited = Q(hold__for_transfer=True, hold__expires_at__gt=now) | is_announced
    awaited &= Q(status=ClassStatus.PENDING)
    is_kept = Q(state=SeatState.HELD) & (Q(for_transfer=True, expires_at__gt=now) | is_announced)
    kept = (classes.filter(awaited), seats.filter(is_kept))
    if sum(rows.distinct().count() for rows in kept) >= _most_at_once(user):
        raise TransferNotOfferedError(TOO_MANY)
    unpaid = (classes.exclude(awaited), seats.exclude(is_kept))
    if _count_lapsed(user, *unpaid, now) >= MAX_LAPSED:
        raise TransferNotOfferedError(TOO_MANY)


def awaits_transfer(*, user: User, start: datetime, way: PayWay) -> bool:
    """True if the time is kept for a transfer; without a provider, whenever possible.

    Raises TransferNotOfferedError if the student chose a transfer that is not possible.
    """
    if is_provider_configured() and way != PayWay.TRANSFER:
        return False
    try:
        now = timezone.now()
        refuse_to_wait(user, keep_until(start, now), now)
    except TransferNotOfferedError:
        if is_provider_configured():
            raise
        return False
    return True


def keep_for_transfer(kept: Hold | Seat, now: datetime) -> None:
    """Keep a booked hold, or a seat, for a transfer, and plan the mail about its end.

    The caller has locked the person. Raises TransferNotOfferedError.
    """
    fields = ["expires_at", "for_transfer"]
    if isinstance(kept, Seat):
        fields.append("updated_at")
        about: VirtualClass | None = kept.open_class.virtual_class
        until = keep_seat_until(kept, now)
        kind, occasion = NoticeKind.SEAT_TRANSFER_OVER, str(kept.pk)
        refuse_to_wait(kept.user, until, now, besides=kept)
    else:
        about = kept.virtual_class
        until = keep_until(kept.start_time, now)
        kind, occasion = NoticeKind.TRANSFER_OVER, ""
        refuse_to_wait(kept.user, until, now, besides=about)
    kept.expires_at = max(kept.expires_at, until)
    kept.for_transfer = True
    kept.save(update_fields=fields)
    if about is not None:
        plan_mail(kind, about, kept.user_id, due_at=kept.expires_at, occasion=occasion)


def _count_lapsed(
    user: User, classes: QuerySet[VirtualClass], seats: QuerySet[Seat], now: datetime
) -> int:
    """Count the kept times that recently ended unpaid, or were given up."""
    recently = (now - RECENTLY, now)
    # Each kept time of a class has a mail about its end.
    ended = Q(
        notices__kind=NoticeKind.TRANSFER_OVER,
        notices__user=user,
        notices__due_at__range=recently,
    )
    # Classes that the teacher cancelled, or that lost their time to a paid one, do not count.
    cancelled = ClassLog.objects.filter(event=ClassEvent.CANCELLED, actor=user)
    given_up = Q(status=ClassStatus.CANCELLED) & Exists(
        cancelled.filter(virtual_class=OuterRef("pk"))
    )
    lapsed = (
        classes.filter(ended, Q(status=ClassStatus.PENDING) | given_up, scheduling_refusal=""),
        seats.filter(for_transfer=True, expires_at__range=recently),
    )
    came = Q(transfers__state__in=[TransferState.TO_RETURN, TransferState.RETURNED])
    return sum(rows.exclude(came).distinct().count() for rows in lapsed)


def _most_at_once(user: User) -> int:
    has_paid = (
        user.booked_classes.filter(paid_at__isnull=False, class_price__gt=0).exists()
        or user.seats.filter(paid_at__isnull=False, price__gt=0).exists()
    )
    return settings.MAX_UNPAID_HOLDS if has_paid else 1
