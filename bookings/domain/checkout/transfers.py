"""Bank transfers: the student announces one, and the teacher confirms or refuses it.

Classes, also those of seats, are locked before transfers.
"""

import uuid
from contextlib import suppress
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.services import lock_person
from bookings.domain.checkout.settling import find_refusal, refuse_displacing
from bookings.domain.checkout.transfer_times import find_account, keep_for_transfer
from bookings.domain.dry_runs import rolled_back
from bookings.domain.exceptions import (
    AlreadyPaidError,
    BookingError,
    ClassCancelledError,
    ClassNotFoundError,
    HoldExpiredError,
    OperationNumberError,
    PriceNotAgreedError,
    TooManyTransfersError,
    TransferDecidedError,
    TransferNotOfferedError,
    TransfersOffError,
)
from bookings.domain.history import record_event
from bookings.domain.lifecycle.cancelling import give_up_class
from bookings.domain.lifecycle.paying import mark_paid
from bookings.domain.lifecycle.scheduling import UNSCHEDULABLE, schedule_class
from bookings.domain.money.discounts import has_lost_its_use
from bookings.domain.money.ledger import book_returned_transfer, book_transfer
from bookings.domain.open_classes.seats import SEAT_GONE, pay_seat_by_hand
from bookings.domain.places.held_seats import lock_open_class
from bookings.domain.teacher_alerts import tell_of_booking, tell_of_seat, tell_teacher
from bookings.models import (
    BankTransfer,
    ClassEvent,
    ClassStatus,
    Hold,
    NoticeKind,
    Seat,
    SeatState,
    TransferState,
    VirtualClass,
    list_rests,
    normalize_operation_number,
)
from bookings.notices.due import record_due

# Announcements of a person: those that wait for the teacher, and those of a day.
MAX_WAITING, MAX_A_DAY = 3, 5
# Within this time after an announcement, the mails about others gather in one.
GATHER = timedelta(minutes=15)
WAITING = _(
    "Ya avisaste varias transferencias que la profe todavía no confirmó. Cuando las confirme, "
    "podés avisar otra."
)
TODAY = _("Ya avisaste varias transferencias en un día. Mañana podés avisar otra.")
ANNOUNCED = _("Ya avisaste una transferencia para esta clase. Falta que la profe la confirme.")


@transaction.atomic
def choose_transfer(*, user: User, about: VirtualClass | Seat) -> None:
    """Keep a booked time, or a seat, for a transfer; repeated, change nothing.

    Raises as ``_lock_bought``; HoldExpiredError, TransferNotOfferedError.
    """
    locked, seat = _lock_bought(user, about)
    now = timezone.now()
    kept = _find_kept(locked, seat, now)
    if kept is None:
        raise HoldExpiredError(SEAT_GONE if seat else "")
    if not kept.for_transfer:
        keep_for_transfer(kept, now)
        if seat is None:
            tell_of_booking(locked, user)
        else:
            tell_of_seat(seat, locked)


@transaction.atomic
def announce_transfer(
    *, user: User, about: VirtualClass | Seat, operation_number: str
) -> BankTransfer:
    """Store that a student paid by transfer, and prolong a time or seat that is still kept.

    Repeated with the same number, return the same transfer. Raises OperationNumberError, or as
    ``_lock_bought``; BookingError for a second number; TooManyTransfersError.
    """
    number = normalize_operation_number(operation_number)
    if number is None:
        raise OperationNumberError
    locked, seat = _lock_bought(user, about)
    earlier = BankTransfer.objects.filter(seat=seat, virtual_class=None if seat else locked)
    if known := earlier.exclude(state=TransferState.REFUSED).first():
        if known.operation_number == number:
            return known
        raise BookingError(ANNOUNCED)
    _limit_announced(user)
    is_first = not earlier.exists()
    transfer = BankTransfer.objects.create(
        user=user,
        virtual_class=None if seat else locked,
        seat=seat,
        amount=seat.price if seat else locked.class_price,
        operation_number=number,
    )
    if is_first:  # a second announcement, after a refusal, does not keep the time longer
        _keep_longer(locked, seat)
    _record(transfer, locked, ClassEvent.TRANSFER_ANNOUNCED, user)
    kind, due_at = NoticeKind.TRANSFER_ANNOUNCED, _find_mail_time(transfer)
    tell_teacher(kind, locked, transfer.occasion, due_at=due_at)
    return transfer


def confirm_transfer(
    *, transfer_id: uuid.UUID, actor: User, fresh_sign_in: bool = False
) -> BankTransfer:
    """Store that a transfer came, and schedule its class or give its seat; repeated, finish that.

    If it cannot pay any more, it is TO_RETURN. No transaction may be open: the calendar is called.
    Raises TransferDecidedError if it was refused; PriceNotAgreedError; FreshSignInNeededError if
    money that came online besides goes back, or as ``refuse_displacing``; CalendarError or
    EventNotSavedError, and the sweep schedules the class.
    """
    if not fresh_sign_in:
        with rolled_back():
            rehearse_confirmation(transfer_id, actor)
    transfer = note_arrival(transfer_id, actor)
    if transfer.state != TransferState.CONFIRMED or transfer.virtual_class is None:
        return transfer
    virtual_class = transfer.booked_class
    try:
        schedule_class(preference_id=virtual_class.preference_id, actor=actor)
    except UNSCHEDULABLE as refusal:
        give_up_class(virtual_class.pk, refusal, actor=actor, fresh_sign_in=fresh_sign_in)
    return BankTransfer.objects.select_related("virtual_class").get(pk=transfer_id)


def rehearse_confirmation(
    transfer_id: uuid.UUID, actor: User, *, fresh_sign_in: bool = False
) -> BankTransfer:
    """Write as a confirmation; the caller rolls back."""
    transfer = note_arrival(transfer_id, actor)
    if transfer.state == TransferState.CONFIRMED and transfer.virtual_class_id:
        virtual_class = VirtualClass.objects.get(pk=transfer.virtual_class_id)
        refuse_displacing(virtual_class.pk, actor, fresh_sign_in=fresh_sign_in)
        if refusal := find_refusal(virtual_class, actor):
            give_up_class(virtual_class.pk, refusal, actor=actor, fresh_sign_in=fresh_sign_in)
    transfer.refresh_from_db()
    return transfer


@transaction.atomic
def note_arrival(transfer_id: uuid.UUID, actor: User) -> BankTransfer:
    """Decide whether a transfer pays or is to be returned."""
    transfer, locked = _lock(transfer_id)
    if transfer.state == TransferState.REFUSED:
        raise TransferDecidedError
    if transfer.state != TransferState.ANNOUNCED:
        return transfer
    now = timezone.now()  # before ``paid_at``: a later transfer is a second payment (``takings``)
    was_paid = (transfer.seat or locked).paid_at is not None
    pays = _pays_seat(transfer, actor) if transfer.seat_id else _pays_class(locked)
    _decide(transfer, TransferState.CONFIRMED if pays else TransferState.TO_RETURN, actor, now)
    book_transfer(transfer, is_second=was_paid, by=actor)
    _record(transfer, locked, ClassEvent.TRANSFER_CONFIRMED, actor)
    if pays and transfer.virtual_class_id:
        mark_paid(locked.pk, actor)
    return transfer


@transaction.atomic
def refuse_transfer(*, transfer_id: uuid.UUID, actor: User) -> BankTransfer:
    """Store that a transfer did not come; its student is mailed and may announce another.

    Raises TransferDecidedError.
    """
    transfer, locked = _lock(transfer_id)
    if transfer.state == TransferState.REFUSED:
        return transfer
    if transfer.state != TransferState.ANNOUNCED:
        raise TransferDecidedError
    _decide(transfer, TransferState.REFUSED, actor, timezone.now())
    _record(transfer, locked, ClassEvent.TRANSFER_REFUSED, actor)
    record_due(NoticeKind.TRANSFER_REFUSED, locked, [transfer.user_id], transfer.occasion)
    return transfer


@transaction.atomic
def note_return(*, transfer_id: uuid.UUID, actor: User) -> BankTransfer:
    """Store that the teacher returned a transfer. Raises TransferDecidedError."""
    transfer, locked = _lock(transfer_id)
    if transfer.state == TransferState.RETURNED:
        return transfer
    if transfer.state != TransferState.TO_RETURN:
        raise TransferDecidedError
    [amount] = list_rests(BankTransfer.objects.filter(pk=transfer.pk))
    book_returned_transfer(transfer, amount, actor)
    transfer.state = TransferState.RETURNED
    transfer.save(update_fields=["state"])
    _record(transfer, locked, ClassEvent.TRANSFER_RETURNED, actor)
    return transfer


def _limit_announced(user: User) -> None:
    """Lock the person. Raises TooManyTransfersError."""
    lock_person(user)
    announced = BankTransfer.objects.filter(user=user)
    if announced.filter(state=TransferState.ANNOUNCED).count() >= MAX_WAITING:
        raise TooManyTransfersError(WAITING)
    a_day_ago = timezone.now() - timedelta(days=1)
    if announced.filter(announced_at__gt=a_day_ago).count() >= MAX_A_DAY:
        raise TooManyTransfersError(TODAY)


def _find_mail_time(transfer: BankTransfer) -> datetime:
    """The first mail leaves at once; the next ones wait for each other while it is unanswered."""
    since = transfer.announced_at - GATHER
    others = BankTransfer.objects.filter(state=TransferState.ANNOUNCED, announced_at__gt=since)
    others = others.exclude(pk=transfer.pk)
    return transfer.announced_at + (GATHER if others.exists() else timedelta(0))


def _lock_bought(user: User, about: VirtualClass | Seat) -> tuple[VirtualClass, Seat | None]:
    """Lock an unpaid class, or that of an unpaid seat.

    Raises ClassNotFoundError, TransfersOffError, ClassCancelledError, AlreadyPaidError,
    PriceNotAgreedError, BookingError for a seat that was given up.
    """
    if isinstance(about, Seat):
        return _lock_unpaid_seat(user, about)
    return _lock_unpaid(user, about.pk), None


def _lock_unpaid(user: User, class_id: uuid.UUID) -> VirtualClass:
    locked = VirtualClass.objects.select_for_update().filter(pk=class_id, booked_by=user).first()
    if locked is None:
        raise ClassNotFoundError
    if find_account() is None:
        raise TransfersOffError
    if locked.status == ClassStatus.CANCELLED:
        raise ClassCancelledError
    if locked.paid_at is not None or locked.class_price == 0:
        raise AlreadyPaidError
    if locked.is_undecided:
        raise PriceNotAgreedError
    return locked


def _lock_unpaid_seat(user: User, about: Seat) -> tuple[VirtualClass, Seat]:
    if find_account() is None:
        raise TransfersOffError
    locked = lock_open_class(about.open_class_id)
    seats = Seat.objects.select_related("user", "open_class__virtual_class")
    seat = seats.filter(pk=about.pk, user=user).first()
    if seat is None:
        raise ClassNotFoundError
    if seat.state == SeatState.TAKEN or seat.price == 0:
        raise AlreadyPaidError
    if locked.status == ClassStatus.CANCELLED:
        raise ClassCancelledError
    if seat.state != SeatState.HELD:
        raise BookingError(SEAT_GONE)
    return locked, seat


def _pays_class(locked: VirtualClass) -> bool:
    return locked.status != ClassStatus.CANCELLED and locked.paid_at is None


def _pays_seat(transfer: BankTransfer, actor: User) -> bool:
    """Give the seat; return False if that is impossible."""
    seat = transfer.seat
    if seat is None or seat.paid_at is not None:
        return False
    if has_lost_its_use(seat):
        return False
    try:
        pay_seat_by_hand(seat_id=seat.pk, actor=actor, in_cash=False)
    except BookingError:
        return False
    return True


def _find_kept(locked: VirtualClass, seat: Seat | None, now: datetime) -> Hold | Seat | None:
    """Lock the person; return the hold or seat if still kept."""
    lock_person(seat.user if seat else locked.booked_by)
    if seat is not None:
        return seat if seat.is_live(now) else None
    holds = Hold.objects.select_for_update().filter(virtual_class=locked, expires_at__gt=now)
    return holds.first()


def _keep_longer(locked: VirtualClass, seat: Seat | None) -> None:
    now = timezone.now()
    with suppress(TransferNotOfferedError):
        if kept := _find_kept(locked, seat, now):
            keep_for_transfer(kept, now)


def _lock(transfer_id: uuid.UUID) -> tuple[BankTransfer, VirtualClass]:
    """Lock the class of a transfer, then the transfer. Raises ClassNotFoundError."""
    about = "virtual_class", "seat__open_class__virtual_class"
    seen = BankTransfer.objects.select_related(*about).filter(pk=transfer_id).first()
    if seen is None:
        raise ClassNotFoundError
    locked = VirtualClass.objects.select_for_update().get(pk=seen.booked_class.pk)
    transfers = BankTransfer.objects.select_related(*about, "user")
    return transfers.select_for_update(of=("self",)).get(pk=transfer_id), locked


def _record(transfer: BankTransfer, locked: VirtualClass, event: ClassEvent, actor: User) -> None:
    details = {"person": str(transfer.user_id), "amount": transfer.amount}
    record_event(locked, event, actor=actor, details=details)


def _decide(transfer: BankTransfer, state: TransferState, actor: User, now: datetime) -> None:
    transfer.state, transfer.decided_at, transfer.decided_by = state, now, actor
    transfer.save(update_fields=["state", "decided_at", "decided_by"])
