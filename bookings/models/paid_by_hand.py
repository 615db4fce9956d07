"""Money of a class or seat that the teacher took herself: in cash, or by bank transfer."""

from django.db.models import QuerySet

from bookings.models.payment import ChargeStatus, Payment, PaymentCharge, RefundStatus
from bookings.models.sales.bank_transfer import (
    IS_SECOND_PAYMENT,
    BankTransfer,
    TransferState,
    list_rests,
)
from bookings.models.sales.open_class import Seat
from bookings.models.virtual_class import VirtualClass

CAME = [ChargeStatus.APPROVED, ChargeStatus.DISPUTED, ChargeStatus.REFUNDED]


def find_price(bought: VirtualClass | Seat) -> int:
    return bought.price if isinstance(bought, Seat) else bought.class_price


def find_payment(bought: VirtualClass | Seat) -> Payment | None:
    return getattr(bought, "payment", None)


def find_paying_transfer(bought: VirtualClass | Seat) -> BankTransfer | None:
    """Return the transfer that paid; one that came besides another payment did not."""
    came = bought.transfers.exclude(state__in=[TransferState.ANNOUNCED, TransferState.REFUSED])
    return came.exclude(IS_SECOND_PAYMENT).first()


def list_part_charges(bought: VirtualClass | Seat) -> QuerySet[PaymentCharge]:
    """List the charges that paid a part of the price, before the teacher took the rest in cash."""
    payment = find_payment(bought)
    if payment is None or not _is_paid_in_cash(bought):
        return PaymentCharge.objects.none()
    # A voucher for the whole price may have been seen before, and paid later: a second payment.
    good = payment.charges.filter(problem="", status__in=CAME, amount__lt=find_price(bought))
    return good.filter(seen_at__lte=bought.paid_at)


def find_cash(bought: VirtualClass | Seat) -> int:
    """Return the centavos of the price that came neither online nor by transfer."""
    if not _is_paid_in_cash(bought):
        return 0
    part = sum(_amount_before_cash(bought, charge) for charge in list_part_charges(bought))
    return max(find_price(bought) - part, 0)


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


def _is_paid_in_cash(bought: VirtualClass | Seat) -> bool:
    payment = find_payment(bought)
    if bought.paid_at is None or (payment is not None and payment.approved_at is not None):
        return False
    return find_paying_transfer(bought) is None


def _amount_before_cash(bought: VirtualClass | Seat, charge: PaymentCharge) -> int:
    # Without what went back before; later refunds follow from the cancellation.
    ours = charge.refunds.exclude(status=RefundStatus.FAILED)
    later = ours.filter(created_at__gt=bought.paid_at)
    made_later = sum(one.amount for one in later if one.status == RefundStatus.DONE)
    earlier = sum(one.amount for one in ours.exclude(pk__in=later))
    return charge.amount - max(charge.refunded_amount - made_later, earlier)
