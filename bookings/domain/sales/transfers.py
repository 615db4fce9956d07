"""Bank transfers: the student announces one, and the teacher confirms or refuses it.

A transfer changes under the lock of its purchase.
"""

import uuid
from contextlib import suppress
from datetime import datetime, timedelta
from typing import IO

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.services import lock_person
from bookings.domain.classes.booking import mark_paid
from bookings.domain.classes.cancelling import give_up_class
from bookings.domain.classes.scheduling import UNSCHEDULABLE, schedule_class
from bookings.domain.dry_runs import rolled_back
from bookings.domain.exceptions import (
    AlreadyPaidError,
    BookingError,
    ClassCancelledError,
    ClassNotFoundError,
    HoldExpiredError,
    OperationNumberError,
    PaymentUnderwayError,
    PriceNotAgreedError,
    TooManyTransfersError,
    TransferDecidedError,
    TransferNotOfferedError,
    TransfersOffError,
)
from bookings.domain.history import record_event
from bookings.domain.money.purchases import book_transfer, lock_purchase
from bookings.domain.money.refunds import store_refund
from bookings.domain.sales.buying import PLACE_GONE, give_place
from bookings.domain.sales.her_bookings import find_refusal, refuse_displacing
from bookings.domain.sales.holds import find_account, keep_for_transfer
from bookings.domain.sales.receipts import encode_receipt, keep_receipt
from bookings.domain.teacher_alerts import tell_of_sale, tell_teacher
from bookings.models import (
    BankTransfer,
    ClassEvent,
    ClassStatus,
    MoneyWay,
    NoticeKind,
    Purchase,
    PurchaseState,
    RefundCase,
    TransferState,
    normalize_operation_number,
)
from bookings.money_state import MoneyState, describe_money
from bookings.notices.due import record_due

# Nothing keeps the time or place any more, so no money is asked for.
GONE = {MoneyState.LAPSED, MoneyState.TIME_TAKEN}
# Announcements of a person: those that wait for the teacher, and those of a day.
MAX_WAITING, MAX_A_DAY = 3, 5
# Within this time after an announcement, the mails about others gather in one.
GATHER = timedelta(minutes=15)
WAITING = _(
    "Ya avisaste varias transferencias que tu profe todavía no confirmó. Cuando las confirme, "
    "podés avisar otra."
)
TODAY = _("Ya avisaste varias transferencias en un día. Mañana podés avisar otra.")
ANNOUNCED = _("Ya avisaste una transferencia para esta clase. Falta que tu profe la confirme.")


@transaction.atomic
def choose_transfer(*, user: User, purchase: Purchase) -> None:
    """Keep a booked time, or a place, for a transfer; repeated, change nothing.

    Raises as ``_lock_unpaid``; HoldExpiredError, TransferNotOfferedError.
    """
    locked = _lock_unpaid(user, purchase)
    now = timezone.now()
    lock_person(user)
    if not locked.is_kept(now):
        raise HoldExpiredError(PLACE_GONE if locked.is_place else "")
    if locked.kept_for != MoneyWay.TRANSFER:
        keep_for_transfer(locked, now)
        tell_of_sale(locked, user)


def announce_transfer(
    *,
    user: User,
    purchase: Purchase,
    operation_number: str,
    receipt: IO[bytes] | None = None,
) -> BankTransfer:
    """Store that a student paid by transfer, and prolong what is still kept.

    Repeated with the same number, return the same transfer. receipt: a photo, read once nothing
    else refuses the transfer. Raises OperationNumberError, or as ``_lock_unpaid``; BookingError
    for a second number; TooManyTransfersError; PhotoError.
    """
    picture = b""
    if receipt:  # decoded outside of the transaction that stores it
        with rolled_back():
            known = _announce(user, purchase, operation_number)
        picture = b"" if known.receipt else encode_receipt(receipt, user)
    with transaction.atomic():
        transfer = _announce(user, purchase, operation_number)
        if picture:
            keep_receipt(transfer, picture)
    return transfer


def _announce(user: User, purchase: Purchase, operation_number: str) -> BankTransfer:
    number = normalize_operation_number(operation_number)
    if number is None:
        raise OperationNumberError
    locked = _lock_unpaid(user, purchase)
    earlier = locked.transfers.all()
    if known := earlier.exclude(state=TransferState.REFUSED).first():
        if known.operation_number == number:
            return known
        raise BookingError(ANNOUNCED)
    _limit_announced(user)
    is_first = not earlier.exists()
    transfer = BankTransfer.objects.create(
        purchase=locked, amount=locked.missing, operation_number=number
    )
    if is_first:  # a second announcement, after a refusal, does not keep the time longer
        _keep_longer(locked)
    _record(transfer, ClassEvent.TRANSFER_ANNOUNCED, user)
    kind, due_at = NoticeKind.TRANSFER_ANNOUNCED, _find_mail_time(transfer)
    tell_teacher(kind, locked.booked_class, transfer.occasion, due_at=due_at)
    return transfer


def confirm_transfer(
    *, transfer_id: uuid.UUID, actor: User, fresh_sign_in: bool = False
) -> BankTransfer:
    """Store that a transfer came, and schedule its class or give its place; repeated, finish that.

    If it cannot pay any more, the teacher has to return it. No transaction may be open: the
    calendar is called. Raises TransferDecidedError if it was refused; PriceNotAgreedError;
    FreshSignInNeededError if money that came online besides goes back, or as ``refuse_displacing``;
    CalendarError or EventNotSavedError, and the sweep schedules the class.
    """
    if not fresh_sign_in:
        with rolled_back():
            rehearse_confirmation(transfer_id, actor)
    transfer = note_arrival(transfer_id, actor)
    if _pays_class(transfer):
        booked = transfer.purchase.booked_class
        try:
            schedule_class(preference_id=booked.preference_id, actor=actor)
        except UNSCHEDULABLE as refusal:
            give_up_class(booked.pk, refusal, actor=actor, fresh_sign_in=fresh_sign_in)
    return BankTransfer.objects.with_purchases().get(pk=transfer_id)


def rehearse_confirmation(
    transfer_id: uuid.UUID, actor: User, *, fresh_sign_in: bool = False
) -> BankTransfer:
    """Write as a confirmation; the caller rolls back."""
    transfer = note_arrival(transfer_id, actor)
    if _pays_class(transfer):
        booked = transfer.purchase.booked_class
        refuse_displacing(booked.pk, actor, fresh_sign_in=fresh_sign_in)
        if refusal := find_refusal(booked, actor):
            give_up_class(booked.pk, refusal, actor=actor, fresh_sign_in=fresh_sign_in)
    return BankTransfer.objects.with_purchases().get(pk=transfer_id)


@transaction.atomic
def note_arrival(transfer_id: uuid.UUID, actor: User) -> BankTransfer:
    """Book a transfer that came; it pays its purchase, or is promised back whole."""
    transfer = _lock(transfer_id)
    if transfer.state == TransferState.REFUSED:
        raise TransferDecidedError
    if transfer.state != TransferState.ANNOUNCED:
        return transfer
    locked = transfer.purchase
    # Money for a place may be recorded, and the place not given yet.
    was_paid = locked.is_paid or locked.was_paid
    _decide(transfer, TransferState.CONFIRMED, actor)
    book_transfer(transfer, is_second=was_paid, by=actor)
    _record(transfer, ClassEvent.TRANSFER_CONFIRMED, actor)
    if not was_paid and not locked.is_given_up and locked.missing:
        return transfer  # a part went back meanwhile: she takes or returns the rest
    if was_paid or locked.is_given_up or not _pay(locked, actor):
        case = RefundCase.PAID_TWICE if was_paid else RefundCase.PAID_AFTER_CANCELLING
        way, amount = MoneyWay.TRANSFER, transfer.amount
        store_refund(locked.pk, amount, case.reason, actor, way=way, transfer=transfer)
    return transfer


def _pay(locked: Purchase, actor: User) -> bool:
    """Let a transfer pay; return False if a place cannot be given any more."""
    if not locked.is_place:
        mark_paid(locked.booked_class.pk, actor)
        locked.refresh_from_db(fields=["paid_at", "state"])
        return True
    try:
        with transaction.atomic():
            give_place(locked, actor)
    except BookingError:
        return False
    return True


def _pays_class(transfer: BankTransfer) -> bool:
    """Return True if a transfer paid for a class, and does not go back."""
    purchase = transfer.purchase
    return purchase.is_paid and not purchase.is_place and not transfer.refunds.exists()


@transaction.atomic
def refuse_transfer(*, transfer_id: uuid.UUID, actor: User) -> BankTransfer:
    """Store that a transfer did not come; its student is mailed and may announce another.

    Raises TransferDecidedError.
    """
    transfer = _lock(transfer_id)
    if transfer.state == TransferState.REFUSED:
        return transfer
    if transfer.state != TransferState.ANNOUNCED:
        raise TransferDecidedError
    _decide(transfer, TransferState.REFUSED, actor)
    _record(transfer, ClassEvent.TRANSFER_REFUSED, actor)
    purchase = transfer.purchase
    kind, people = NoticeKind.TRANSFER_REFUSED, [purchase.person_id]
    record_due(kind, purchase.booked_class, people, transfer.occasion)
    return transfer


def _limit_announced(user: User) -> None:
    """Lock the person. Raises TooManyTransfersError."""
    lock_person(user)
    announced = BankTransfer.objects.filter(purchase__person=user)
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


def _lock_unpaid(user: User, purchase: Purchase) -> Purchase:
    """Lock a person's purchase that may still be paid.

    Raises ClassNotFoundError, TransfersOffError, ClassCancelledError, AlreadyPaidError,
    PriceNotAgreedError, BookingError for a place that was given up.
    """
    if purchase.person_id != user.pk or purchase.virtual_class_id is None:
        raise ClassNotFoundError
    locked = lock_purchase(purchase.pk)
    if locked.person_id != user.pk:
        raise ClassNotFoundError
    if find_account() is None:
        raise TransfersOffError
    booked = locked.booked_class
    if booked.status == ClassStatus.CANCELLED:
        raise ClassCancelledError
    if locked.state == PurchaseState.PAID or locked.is_free:
        raise AlreadyPaidError
    if locked.is_place and locked.state != PurchaseState.KEPT:
        raise BookingError(PLACE_GONE)
    if booked.is_undecided:
        raise PriceNotAgreedError
    money = describe_money(locked, timezone.now())
    if money.state in GONE:
        raise HoldExpiredError(PLACE_GONE if locked.is_place else "")
    if not money.may_pay and money.state is not MoneyState.ANNOUNCED:  # its number may be repeated
        raise PaymentUnderwayError
    return locked


def _keep_longer(locked: Purchase) -> None:
    now = timezone.now()
    lock_person(locked.person)
    if locked.is_kept(now):
        with suppress(TransferNotOfferedError):
            keep_for_transfer(locked, now)


def _lock(transfer_id: uuid.UUID) -> BankTransfer:
    """Lock the purchase of a transfer, and return it with that. Raises ClassNotFoundError."""
    transfers = BankTransfer.objects.filter(pk=transfer_id)
    purchase_id = transfers.values_list("purchase", flat=True).first()
    if purchase_id is None:
        raise ClassNotFoundError
    locked = lock_purchase(purchase_id)
    transfer = transfers.get()
    transfer.purchase = locked
    return transfer


def _record(transfer: BankTransfer, event: ClassEvent, actor: User) -> None:
    purchase = transfer.purchase
    details = {"person": str(purchase.person_id), "amount": transfer.amount}
    record_event(purchase.booked_class, event, actor=actor, details=details)


def _decide(transfer: BankTransfer, state: TransferState, actor: User) -> None:
    transfer.state, transfer.decided_at, transfer.decided_by = state, timezone.now(), actor
    transfer.save(update_fields=["state", "decided_at", "decided_by"])
