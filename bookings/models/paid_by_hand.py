"""Money of a class or seat that the teacher took herself: in cash, or by bank transfer."""

from typing import Any

from django.db.models import (
    BigIntegerField,
    Case,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Sum,
    Value,
    When,
)
from django.db.models.functions import Coalesce, Greatest

from bookings.models.payment import ChargeStatus, Payment, RefundStatus, ReviewReason
from bookings.models.purchase import Entry, EntryWay, PurchaseKind
from bookings.models.sales.bank_transfer import BankTransfer, TransferState
from bookings.models.sales.open_class import Seat
from bookings.models.virtual_class import VirtualClass

CAME = {TransferState.CONFIRMED, TransferState.TO_RETURN, TransferState.RETURNED}


def is_second_payment() -> Q:
    """Match transfers beside other money that pays the class or seat."""
    came_second = Entry.objects.filter(transfer=OuterRef("pk"), is_second=True)
    return (
        Q(Exists(came_second))
        | Q(virtual_class__payment__approved_at__isnull=False)
        | Q(seat__payment__approved_at__isnull=False)
    )


def with_rest(transfers: QuerySet[BankTransfer]) -> QuerySet[BankTransfer]:
    """Annotate ``rest``, the centavos of a transfer that go back.

    The teacher keeps what the cancellation kept, except of a second payment.
    """
    centavos = BigIntegerField()
    nothing = Value(0, centavos)
    kept = Case(
        When(is_second_payment(), then=nothing),
        default=Coalesce("virtual_class__amount_kept", "seat__amount_kept", nothing),
    )
    return transfers.annotate(rest=Greatest(F("amount") - kept, nothing, output_field=centavos))


def list_rests(transfers: QuerySet[BankTransfer]) -> list[int]:
    """Return the centavos that go back of each."""
    found: QuerySet[Any] = with_rest(transfers)
    return list(found.values_list("rest", flat=True))


def price_of(bought: VirtualClass | Seat) -> int:
    return bought.price if isinstance(bought, Seat) else bought.class_price


def payment_of(bought: VirtualClass | Seat) -> Payment | None:
    return getattr(bought, "payment", None)


def take_rest_in_cash(locked: VirtualClass | Seat) -> int:
    """Let what came online, too little, pay its part; return the centavos of cash besides.

    Call it when the teacher marks a class or seat as paid.
    """
    if find_paying_transfer(locked) is not None:
        return 0
    payment = payment_of(locked)
    has_transfer = locked.transfers.exclude(state=TransferState.REFUSED).exists()
    if payment is None or payment.approved_at is not None or has_transfer:
        return price_of(locked)
    good = payment.charges.filter(status=ChargeStatus.APPROVED, problem=ReviewReason.NONE)
    came_online = 0
    for charge in good:
        refunds = charge.refunds.exclude(status=RefundStatus.FAILED)
        asked_back = refunds.aggregate(sum=Sum("amount", default=0))["sum"]
        left = max(charge.amount - max(charge.refunded_amount, asked_back), 0)
        charge.counts = left > 0
        charge.save(update_fields=["counts"])
        came_online += left
    return max(price_of(locked) - came_online, 0)


def find_paying_transfer(bought: VirtualClass | Seat) -> BankTransfer | None:
    """Return the transfer that paid; a second payment did not."""
    came = (one for one in bought.transfers.all() if one.state in CAME)  # may be prefetched
    return next((one for one in came if not _is_second(one, bought)), None)


def _is_second(transfer: BankTransfer, bought: VirtualClass | Seat) -> bool:
    """``is_second_payment`` for one row."""
    payment = payment_of(bought)
    if payment is not None and payment.approved_at is not None:
        return True
    return any(
        entry.is_second for entry in _list_entries(bought) if entry.transfer_id == transfer.pk
    )


def find_cash(bought: VirtualClass | Seat) -> int:
    """Return the centavos of cash that pay a class or seat."""
    if not is_paid_in_cash(bought):
        return 0
    return sum(one.amount for one in _list_entries(bought) if one.way == EntryWay.CASH)


def _list_entries(bought: VirtualClass | Seat) -> list[Entry]:
    if isinstance(bought, Seat):
        return list(Entry.objects.filter(purchase=bought.pk))
    purchases = (one for one in bought.purchases.all() if one.kind == PurchaseKind.CLASS)
    return [entry for one in purchases for entry in one.entries.all()]  # may be prefetched


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
