"""Money of a class or seat that the teacher took herself: in cash, or by bank transfer."""

from django.db.models import Sum

from bookings.models.payment import ChargeStatus, Payment, RefundStatus, ReviewReason
from bookings.models.sales.bank_transfer import (
    BankTransfer,
    TransferState,
    list_rests,
)
from bookings.models.sales.open_class import Seat
from bookings.models.virtual_class import VirtualClass

CAME = {TransferState.CONFIRMED, TransferState.TO_RETURN, TransferState.RETURNED}


def price_of(bought: VirtualClass | Seat) -> int:
    return bought.price if isinstance(bought, Seat) else bought.class_price


def payment_of(bought: VirtualClass | Seat) -> Payment | None:
    return getattr(bought, "payment", None)


def store_parts(locked: VirtualClass | Seat) -> None:
    """Store what came online, too little, when the teacher marks the rest as paid in cash."""
    payment = payment_of(locked)
    has_transfer = locked.transfers.exclude(state=TransferState.REFUSED).exists()
    if payment is None or payment.approved_at is not None or has_transfer:
        return
    good = payment.charges.filter(status=ChargeStatus.APPROVED, problem=ReviewReason.NONE)
    for charge in good:
        refunds = charge.refunds.exclude(status=RefundStatus.FAILED)
        asked_back = refunds.aggregate(sum=Sum("amount", default=0))["sum"]
        charge.part_paid = max(charge.amount - max(charge.refunded_amount, asked_back), 0)
        charge.counts = charge.part_paid > 0
        charge.save(update_fields=["part_paid", "counts"])


def find_paying_transfer(bought: VirtualClass | Seat) -> BankTransfer | None:
    """Return the transfer that paid; a second payment did not."""
    came = (one for one in bought.transfers.all() if one.state in CAME)  # may be prefetched
    return next((one for one in came if not _is_second_payment(one, bought)), None)


def _is_second_payment(transfer: BankTransfer, bought: VirtualClass | Seat) -> bool:
    """``IS_SECOND_PAYMENT`` for one row."""
    payment = payment_of(bought)
    if payment is not None and payment.approved_at is not None:
        return True
    decided_at, paid_at = transfer.decided_at, bought.paid_at
    return decided_at is not None and paid_at is not None and decided_at > paid_at


def find_cash(bought: VirtualClass | Seat) -> int:
    """Return the centavos of the price that came neither online nor by transfer."""
    if not is_paid_in_cash(bought):
        return 0
    payment = payment_of(bought)
    online = sum(charge.part_paid for charge in payment.charges.all()) if payment else 0
    return max(price_of(bought) - online, 0)


def find_cash_to_return(bought: VirtualClass | Seat) -> int:
    """Return the centavos of cash that a cancelled class or a seat given up gives back.

    No row says whether the teacher returned them.
    """
    if bought.amount_kept is None:
        return 0
    return max(find_cash(bought) - bought.amount_kept, 0)


def find_owed_by_hand(bought: VirtualClass | Seat) -> int:
    """Return the centavos that the teacher returns herself, in cash or by transfer."""
    owed = bought.transfers.filter(state=TransferState.TO_RETURN)
    return sum(list_rests(owed)) + find_cash_to_return(bought)


def is_paid_in_cash(bought: VirtualClass | Seat) -> bool:
    payment = payment_of(bought)
    if bought.paid_at is None or (payment is not None and payment.approved_at is not None):
        return False
    return find_paying_transfer(bought) is None
