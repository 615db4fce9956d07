"""How long, and for whom, times and places are kept for transfers."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from bookings.domain.classes.times import find_latest_end
from bookings.domain.exceptions import (
    SlotTakenError,
    TransferNotOfferedError,
    TransfersOffError,
)
from bookings.models import (
    BankTransfer,
    BookingRules,
    ClassEvent,
    ClassLog,
    MoneyWay,
    NoticeKind,
    OpenClass,
    Purchase,
    PurchaseState,
    find_open_class,
)
from bookings.notices.due import plan_mail
from bookings.payments.backend import pays_online

# A person with this many unpaid kept times within that time gets no other one.
MAX_LAPSED, RECENTLY = 2, timedelta(days=7)
TOO_LATE = _("Falta poco para la clase: una transferencia no llega a confirmarse a tiempo.")
TOO_MANY = _(
    "Ya te guardamos otro horario por transferencia, o se te vencieron varios sin pagar. Esta "
    "clase pagala de otra forma."
)


class PayWay(StrEnum):
    ONLINE = "online"
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


def find_kept_until(
    start: datetime, now: datetime, open_class: OpenClass | None = None
) -> datetime:
    hours = BookingRules.load().transfer_hours
    return min(now + timedelta(hours=hours), find_latest_end(start, open_class))


def find_purchase_kept_until(purchase: Purchase, now: datetime) -> datetime:
    booked = purchase.booked_class
    open_class = find_open_class(booked) if purchase.is_place else None
    return find_kept_until(booked.start_time, now, open_class)


def refuse_to_wait(
    user: User, until: datetime, now: datetime, *, besides: Purchase | None = None
) -> None:
    """Raise TransferNotOfferedError if no time is kept ``until`` then for this person's transfer.

    A student who never paid has one kept time at once; after MAX_LAPSED unpaid ones no student gets
    another. besides: the purchase in question.
    """
    if find_account() is None:
        raise TransfersOffError
    if until < now + timedelta(minutes=BookingRules.load().hold_minutes):
        raise TransferNotOfferedError(TOO_LATE)
    others = user.purchases.filter(price__gt=0, paid_at=None)
    if besides is not None:
        others = others.exclude(pk=besides.pk)
    announced = Exists(BankTransfer.objects.announced().filter(purchase=OuterRef("pk")))
    waiting = others.filter(
        announced | Q(kept_for=MoneyWay.TRANSFER, kept_until__gt=now), state=PurchaseState.KEPT
    )
    if waiting.count() >= _most_at_once(user):
        raise TransferNotOfferedError(TOO_MANY)
    if _count_lapsed(others.exclude(pk__in=waiting.values("pk")), now) >= MAX_LAPSED:
        raise TransferNotOfferedError(TOO_MANY)


def awaits_transfer(*, user: User, start: datetime, way: PayWay) -> bool:
    """True if the time is kept for a transfer; without a provider, whenever possible.

    Raises TransferNotOfferedError if the student chose a transfer that is not possible.
    """
    if pays_online() and way != PayWay.TRANSFER:
        return False
    try:
        now = timezone.now()
        refuse_to_wait(user, find_kept_until(start, now), now)
    except TransferNotOfferedError:
        if pays_online():
            raise
        return False
    return True


def keep_for_transfer(locked: Purchase, now: datetime) -> None:
    """Keep a purchase for a transfer, and plan the mail about its end.

    The caller has locked the person. Raises TransferNotOfferedError.
    """
    until = find_purchase_kept_until(locked, now)
    refuse_to_wait(locked.person, until, now, besides=locked)
    locked.kept_until = max(locked.kept_until, until) if locked.kept_until else until
    locked.kept_for = MoneyWay.TRANSFER
    locked.save(update_fields=["kept_until", "kept_for", "updated_at"])
    is_place = locked.is_place
    kind = NoticeKind.SEAT_TRANSFER_OVER if is_place else NoticeKind.TRANSFER_OVER
    occasion = str(locked.pk) if is_place else ""
    about, due_at = locked.booked_class, locked.kept_until
    plan_mail(kind, about, locked.person_id, due_at=due_at, occasion=occasion)


def _count_lapsed(unpaid: QuerySet[Purchase], now: datetime) -> int:
    """Count what was kept for a transfer, and recently ended unpaid or was given up."""
    kept = unpaid.filter(kept_for=MoneyWay.TRANSFER, kept_until__range=(now - RECENTLY, now))
    # What the teacher cancelled, or lost its time to a paid class, does not count.
    cancelled = ClassLog.objects.filter(event=ClassEvent.CANCELLED)
    by_others = cancelled.exclude(actor=OuterRef("person"))
    came = BankTransfer.objects.came().filter(purchase=OuterRef("pk"))
    lapsed = kept.exclude(virtual_class__scheduling_refusal=SlotTakenError.code)
    return lapsed.filter(
        ~Exists(by_others.filter(virtual_class=OuterRef("virtual_class"))), ~Exists(came)
    ).count()


def _most_at_once(user: User) -> int:
    has_paid = user.purchases.paid().filter(price__gt=0).exists()
    return settings.MAX_UNPAID_HOLDS if has_paid else 1
