"""Times and seats that a person keeps again and again, and does not pay online."""

from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from accounts.models import User
from accounts.selectors import find_teacher
from bookings.availability.agenda import list_money_on_its_way
from bookings.domain.exceptions import SlotTakenError, TooManyChosenError, TooManyLapsedError
from bookings.models import (
    BankTransfer,
    ClassEvent,
    ClassLog,
    ClassStatus,
    Notice,
    NoticeKind,
    Payment,
    SeatState,
    TransferState,
)
from bookings.notices.due import record_alert
from config.lib.throttling import give_one_back, is_too_often, seconds_left

# After MAX_LAPSED checkouts within RECENTLY that ended unpaid, a person keeps one time or seat at
# once, and the next one PAUSE after its end. A payment makes up for those before it.
MAX_LAPSED, RECENTLY, PAUSE = 5, timedelta(days=1), timedelta(hours=2)
# Times that a person chooses within RECENTLY and does not book; only the last one is kept.
MAX_CHOSEN, CHOSEN = 24, "chosen-times"


def limit_lapsed(user: User, now: datetime) -> None:
    """Raise TooManyLapsedError if the person may keep no other time or seat yet.

    The caller has locked the person, and keeps one in the same transaction. Mail the teacher about
    the first one after MAX_LAPSED.
    """
    unpaid = _list_unpaid(user, now)
    lapsed = sum(not _is_kept(payment, now) for payment in unpaid)
    if lapsed < MAX_LAPSED:
        return
    pause_end = max(payment.expires_at or now for payment in unpaid) + PAUSE
    if pause_end > now:
        raise TooManyLapsedError(wait_seconds=int((pause_end - now).total_seconds()) + 1)
    _tell_teacher(user, now)


def limit_chosen(user: User) -> None:
    """Raise TooManyChosenError beyond MAX_CHOSEN. Call it outside of transactions."""
    if is_too_often(CHOSEN, user.pk, limit=MAX_CHOSEN, window=RECENTLY):
        raise TooManyChosenError(wait_seconds=seconds_left(RECENTLY))


def forgive_chosen(user: User) -> None:
    """Do not count the chosen time that was booked. Call it outside of transactions."""
    give_one_back(CHOSEN, user.pk, window=RECENTLY)


def _list_unpaid(user: User, now: datetime) -> list[Payment]:
    """List the checkouts without money since the last payment.

    Leave out those that another payment or the teacher ended, and preferences of other systems,
    which keep no time.
    """
    cancelled = ClassLog.objects.filter(event=ClassEvent.CANCELLED).exclude(actor=user)
    sent = BankTransfer.objects.exclude(state=TransferState.REFUSED)
    unpaid = Q(
        ~Exists(list_money_on_its_way(OuterRef("pk"))),
        ~Exists(sent.filter(seat__payment=OuterRef("pk"))),
        ~Exists(sent.filter(virtual_class__payment=OuterRef("pk"))),
        ~Exists(cancelled.filter(virtual_class__payment=OuterRef("pk"))),
        # The preference of a seat that is held may be in the making.
        Q(preference_id__isnull=False) | Q(seat__state=SeatState.HELD),
        # By hand, and booked by the teacher.
        seat__paid_at=None,
        virtual_class__paid_at=None,
        virtual_class__link=None,
        made_elsewhere=False,
        approved_at=None,
    )
    made = user.payments.filter(unpaid, created_at__gt=now - RECENTLY)
    # An older checkout may be paid after later ones lapsed.
    paid_since = user.payments.filter(approved_at__gte=OuterRef("created_at"))
    rows = made.filter(~Exists(paid_since)).select_related("seat", "virtual_class")
    return [payment for payment in rows if not _is_ended_by_others(payment)]


def _is_ended_by_others(payment: Payment) -> bool:
    seat, virtual_class = payment.paid_seat, payment.virtual_class
    if virtual_class is not None:
        return virtual_class.scheduling_refusal == SlotTakenError.code
    return seat is not None and seat.state == SeatState.CANCELLED


def _is_kept(payment: Payment, now: datetime) -> bool:
    seat, virtual_class = payment.paid_seat, payment.virtual_class
    is_released = seat is not None and seat.state == SeatState.RELEASED
    is_cancelled = virtual_class is not None and virtual_class.status == ClassStatus.CANCELLED
    return not (payment.has_expired(now) or is_released or is_cancelled)


def _tell_teacher(user: User, now: datetime) -> None:
    kind, teacher = NoticeKind.HOLDS_LAPSE, find_teacher()
    told = Notice.objects.filter(kind=kind, user=teacher, created_at__gt=now - RECENTLY)
    if teacher and not told.exists():
        record_alert(kind, teacher, f"{timezone.localdate(now).isoformat()} {user.pk.hex}")
