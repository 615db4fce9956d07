"""Times and places that a person keeps again and again, and does not pay online."""

from datetime import datetime, timedelta
from functools import partial

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from accounts.models import User
from accounts.selectors import find_teacher
from bookings.domain.exceptions import TooManyChosenError, TooManyLapsedError
from bookings.models import (
    BankTransfer,
    ClassEvent,
    ClassLog,
    NoticeKind,
    Purchase,
    PurchaseState,
    TransferState,
)
from bookings.notices.due import record_alert
from config.lib.throttling import give_one_back, is_too_often, seconds_left

# After MAX_LAPSED checkouts within RECENTLY that ended unpaid, a person keeps one time or place at
# once, and the next one PAUSE after its end. A payment makes up for those before it.
MAX_LAPSED, RECENTLY, PAUSE = 5, timedelta(days=1), timedelta(hours=2)
# Times that a person chooses within RECENTLY and does not book; only the last one is kept.
MAX_CHOSEN, CHOSEN = 24, "chosen-times"


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
    if is_too_often(CHOSEN, user.pk, limit=MAX_CHOSEN, window=RECENTLY):
        raise TooManyChosenError(wait_seconds=seconds_left(RECENTLY))


def forgive_chosen(user: User) -> None:
    """Do not count the chosen time that was booked. Call it outside of transactions."""
    give_one_back(CHOSEN, user.pk, window=RECENTLY)


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
