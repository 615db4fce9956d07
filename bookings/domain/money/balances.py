"""One person's payments, refunds and debts."""

from dataclasses import dataclass

from django.db.models import Count, F, Q, Sum
from django.db.models.functions import Coalesce, Greatest

from accounts.models import User
from bookings.domain.money.seat_refunds import SEATS_GIVEN_UP
from bookings.domain.money.takings import CAME, IS_ONLINE
from bookings.models import (
    BankTransfer,
    ClassStatus,
    Entry,
    EntryWay,
    PurchaseKind,
    Refund,
    RefundStatus,
    Seat,
    TransferState,
    with_rest,
)
from bookings.notices.returned_money import is_owed


@dataclass(frozen=True, slots=True)
class Balance:
    """Centavos, of classes and seats.

    by_hand: transfers included. returned: by refunds, chargebacks and transfers. unpaid: of
    scheduled or completed classes. refused: refunds that the provider refused. hand_to_return: paid
    by hand for cancelled bookings; ``is_settled`` ignores it, because only the return of a transfer
    is recorded.
    """

    online: int
    by_hand: int
    returned: int
    unpaid: int
    unpaid_classes: int
    refused: int
    hand_to_return: int

    @property
    def paid(self) -> int:
        return self.online + self.by_hand

    @property
    def is_settled(self) -> bool:
        return not (self.unpaid or self.refused)


def find_balance(user: User) -> Balance:
    sums = Entry.objects.filter(purchase__person=user).aggregate(
        online=Sum("amount", filter=CAME & IS_ONLINE, default=0),
        by_hand=Sum("amount", filter=CAME & ~IS_ONLINE, default=0),
        returned=-Sum("amount", filter=~CAME, default=0),
    )
    given = [ClassStatus.SCHEDULED, ClassStatus.COMPLETED]
    unpaid = user.booked_classes.filter(
        paid_at=None, status__in=given, class_price__gt=0, open_class=None
    ).exclude(payment__approved_at__isnull=False)
    debt = unpaid.aggregate(total=Sum("class_price", default=0), count=Count("pk"))
    return Balance(
        **sums,
        unpaid=debt["total"],
        unpaid_classes=debt["count"],
        refused=_sum_refused(user),
        hand_to_return=_sum_to_return_by_hand(user),
    )


def _sum_to_return_by_hand(user: User) -> int:
    # By the owner of the class or seat: it may have been claimed since the transfer was announced.
    theirs = Q(virtual_class__booked_by=user) | Q(seat__user=user)
    transfers = with_rest(BankTransfer.objects.filter(theirs, state=TransferState.TO_RETURN))
    cash = Entry.objects.filter(way=EntryWay.CASH, purchase__person=user)
    classes = cash.filter(
        purchase__kind=PurchaseKind.CLASS,
        purchase__virtual_class__status=ClassStatus.CANCELLED,
    ).annotate(rest=F("amount") - Coalesce("purchase__virtual_class__amount_kept", 0))
    seats = dict(
        Seat.objects.filter(user=user, state__in=SEATS_GIVEN_UP).values_list("pk", "amount_kept")
    )
    places = cash.filter(purchase__in=seats).values_list("purchase", "amount")
    by_transfer: int = transfers.aggregate(sum=Sum("rest", default=0))["sum"]
    of_classes: int = classes.aggregate(sum=Sum(Greatest("rest", 0), default=0))["sum"]
    of_places = sum(max(amount - (seats[key] or 0), 0) for key, amount in places)
    return by_transfer + of_classes + of_places


def _sum_refused(user: User) -> int:
    failed = Refund.objects.filter(charge__payment__user=user, status=RefundStatus.FAILED)
    return sum(one.amount for one in failed.select_related("charge") if is_owed(one))
