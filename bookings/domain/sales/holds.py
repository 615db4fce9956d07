"""Times and places kept while their students pay, and who keeps too many unpaid."""

import uuid
from datetime import datetime, timedelta
from enum import StrEnum
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.selectors import find_teacher
from accounts.services import lock_person
from bookings.domain.change_policy import limit_unpaid
from bookings.domain.classes.times import (
    delete_expired_holds,
    find_latest_end,
    racing_for_time,
    refuse_unoffered,
)
from bookings.domain.exceptions import (
    HoldExpiredError,
    SlotTakenError,
    TooManyChosenError,
    TooManyLapsedError,
    TransferNotOfferedError,
    TransfersOffError,
)
from bookings.domain.money.prices import find_price, refuse_second_use
from bookings.domain.queries import list_scheduled_between
from bookings.models import (
    PAY_WITHIN,
    BankTransfer,
    BookingRules,
    ClassEvent,
    ClassLog,
    ClassType,
    Hold,
    MoneyWay,
    NoticeKind,
    Offer,
    OpenClass,
    Purchase,
    PurchaseState,
    TransferState,
    find_open_class,
)
from bookings.notices.due import plan_mail, record_alert
from bookings.payments.backend import pays_online
from config.lib.throttling import is_too_often, seconds_left
from config.lib.wall_time import find_offset

# After MAX_LAPSED checkouts within RECENTLY that ended unpaid, a person keeps one time or place at
# once, and the next one PAUSE after its end. A payment makes up for those before it.
MAX_LAPSED, RECENTLY, PAUSE = 5, timedelta(days=1), timedelta(hours=2)
# Times that a person chooses within RECENTLY, booked ones too; only the last one is kept.
MAX_CHOSEN = 36
# A person with this many unpaid kept times within that time gets no other one.
MAX_LAPSED_TRANSFERS, TRANSFERS_SINCE = 2, timedelta(days=7)
TOO_LATE = _("Falta poco para la clase: una transferencia no llega a confirmarse a tiempo.")
TOO_MANY = _(
    "Ya te guardamos otro horario por transferencia, o se te vencieron varios sin pagar. Esta "
    "clase pagala de otra forma."
)


def hold_slot(
    *,
    user: User,
    start: datetime,
    minutes: int,
    class_type: ClassType,
    offer: Offer | None = None,
) -> Hold:
    """Hold a free slot; the user's unbooked hold ends.

    Raises NoPriceError, OfferUsedError, CalendarError, SlotTakenError, TooManyBookingsError,
    TooManyHoldsError, TooManyLapsedError.
    """
    find_price(class_type=class_type, minutes=minutes, students=1, offer=offer)
    refuse_second_use(user, offer)
    refuse_unoffered(user=user, start=start, length=timedelta(minutes=minutes))
    limit_chosen(user)
    expires_at = find_hold_end(timezone.now())
    hold = Hold(user=user, start_time=start, class_type=class_type, expires_at=expires_at)
    hold.offer = offer
    hold.end_time = start + timedelta(minutes=minutes)
    return keep_time(hold)


def find_hold_end(now: datetime) -> datetime:
    return now + timedelta(minutes=BookingRules.load().hold_minutes)


def find_hand_hold_end(start: datetime, now: datetime) -> datetime:
    """Return until when a booked class that is paid to the teacher keeps its time.

    As long as one that she books, but no longer than other students could book it.
    """
    rules = BookingRules.load()
    bookable_until = start - timedelta(minutes=rules.minimum_notice_minutes)
    shortest = now + timedelta(minutes=rules.hold_minutes)
    return max(shortest, find_pay_deadline(bookable_until, now))


def find_pay_deadline(latest: datetime, now: datetime) -> datetime:
    return min(now + PAY_WITHIN, latest)


def keep_time(hold: Hold, *, by_teacher: bool = False) -> Hold:
    """Store a hold; it replaces the unbooked one or, for a preference, any at that time.

    by_teacher: True if she books or publishes; it replaces an unbooked one at that time, and counts
    towards no limit.
    Raises SlotTakenError, TooManyHoldsError, TooManyLapsedError.
    """
    here = Hold.objects.overlapping(hold.start_time, hold.end_time)
    now = timezone.now()
    with racing_for_time(), transaction.atomic():
        lock_person(hold.user)
        delete_expired_holds()
        chosen = hold.user.holds.chosen()
        if hold.purchase is None:
            chosen.delete()
        else:
            (chosen & here if by_teacher else here.filter(user=hold.user)).delete()
        if not by_teacher:
            unpaid = hold.user.purchases.classes().kept(now).filter(by_teacher=False)
            limit_unpaid(unpaid.exclude(hold=None), settings.MAX_UNPAID_HOLDS)
            limit_lapsed(hold.user, now)
        if here.exists():
            raise SlotTakenError
        hold.utc_offset = find_offset(hold.start_time)
        hold.save(force_insert=True)
        # Checked after the insert, which waits for a class that is taking this time.
        if list_scheduled_between(hold.start_time, hold.end_time).exists():
            raise SlotTakenError
    return hold


def release_hold(*, user: User, hold_id: uuid.UUID) -> bool:
    """Return False if there is no unbooked hold."""
    return bool(user.holds.chosen().filter(pk=hold_id).delete()[0])


def find_open_hold(user: User) -> Hold | None:
    live = user.holds.chosen().filter(expires_at__gt=timezone.now())
    return live.select_related("offer").first()


def find_live_hold(*, user: User, hold_id: uuid.UUID, locked: bool = False) -> Hold:
    """Return a hold with its offer, optionally locked.

    Raises HoldExpiredError, also for another person's hold.
    """
    if locked:
        # Alone: a locking statement that waits may return old rows of the tables that it joins, and
        # then a repeat finds that the hold of the first request has ended.
        list(user.holds.select_for_update().filter(pk=hold_id))
    holds = user.holds.live(timezone.now()).select_related("offer", "purchase__virtual_class")
    hold: Hold | None = holds.filter(pk=hold_id).first()
    is_unbooked = hold is not None and hold.purchase and hold.purchase.virtual_class is None
    if hold is None or is_unbooked:
        raise HoldExpiredError
    return hold


def limit_lapsed(user: User, now: datetime) -> None:
    """Raise TooManyLapsedError if the person may keep no other time or place yet.

    The caller has locked the person, and keeps one in the same transaction. Mail the teacher about
    the first one after MAX_LAPSED.
    """
    unpaid = _list_unpaid(user, now)
    lapsed = sum(not _is_kept(one, now) for one in unpaid)
    if lapsed < MAX_LAPSED:
        return
    pause_end = max(one.payment.expires_at or now for one in unpaid) + PAUSE
    if pause_end > now:
        raise TooManyLapsedError(wait_seconds=int((pause_end - now).total_seconds()) + 1)
    transaction.on_commit(partial(_tell_teacher, user, now), robust=True)


def limit_chosen(user: User) -> None:
    """Raise TooManyChosenError beyond MAX_CHOSEN. Call it outside of transactions."""
    if is_too_often("chosen-times", user.pk, limit=MAX_CHOSEN, window=RECENTLY):
        raise TooManyChosenError(wait_seconds=seconds_left(RECENTLY))


def _list_unpaid(user: User, now: datetime) -> list[Purchase]:
    """List the purchases with a checkout, and without money, since the last payment.

    Leave out those that another payment or the teacher ended, and preferences of other systems,
    which keep no time.
    """
    cancelled = ClassLog.objects.filter(event=ClassEvent.CANCELLED).exclude(actor=user)
    sent = BankTransfer.objects.exclude(state=TransferState.REFUSED)
    made = user.purchases.filter(
        # The preference of a place that is kept may be in the making.
        Q(payment__preference_id__isnull=False) | Q(kind="place", state=PurchaseState.KEPT),
        ~Exists(Purchase.objects.awaited().filter(pk=OuterRef("pk"))),
        ~Exists(sent.filter(purchase=OuterRef("pk"))),
        ~Exists(cancelled.filter(virtual_class=OuterRef("virtual_class"))),
        paid_at=None,
        by_teacher=False,
        payment__isnull=False,
        payment__made_elsewhere=False,
        payment__created_at__gt=now - RECENTLY,
    )
    # Its time went to another's payment.
    lost = Q(kind="class", state=PurchaseState.LAPSED)
    # An older checkout may be paid after later ones lapsed.
    paid_since = user.purchases.filter(payment__approved_at__gte=OuterRef("payment__created_at"))
    return list(made.exclude(lost).filter(~Exists(paid_since)).select_related("payment"))


def _is_kept(purchase: Purchase, now: datetime) -> bool:
    return purchase.state == PurchaseState.KEPT and not purchase.payment.has_expired(now)


def _tell_teacher(user: User, now: datetime) -> None:
    kind, teacher = NoticeKind.HOLDS_LAPSE, find_teacher()
    if teacher and not is_too_often("lapses-told", teacher.pk, limit=1, window=RECENTLY):
        record_alert(kind, teacher, f"{timezone.localdate(now).isoformat()} {user.pk.hex}")


class PayWay(StrEnum):
    ONLINE = "online"
    TRANSFER = "transferencia"


def find_account() -> BookingRules | None:
    """Return the rules if they name the account for transfers."""
    rules = BookingRules.load()
    return rules if rules.transfer_alias else None


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

    A student who never paid has one kept time at once; after MAX_LAPSED_TRANSFERS unpaid ones no
    student gets another. besides: the purchase in question.
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
    if _count_lapsed(others.exclude(pk__in=waiting.values("pk")), now) >= MAX_LAPSED_TRANSFERS:
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
    kept = unpaid.filter(kept_for=MoneyWay.TRANSFER, kept_until__range=(now - TRANSFERS_SINCE, now))
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
