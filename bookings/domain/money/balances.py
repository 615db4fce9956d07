"""What one person paid, got back, and owes."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, F, Q, Sum

from accounts.models import User
from bookings.domain.money.money_back import MoneyWay, find_money_back
from bookings.domain.money.takings import (
    list_charges_with_money,
    list_classes_paid_by_hand,
    list_confirmed_transfers,
    list_seats_paid_by_hand,
)
from bookings.models import (
    BankTransfer,
    ChargeStatus,
    ClassStatus,
    Refund,
    RefundStatus,
    Seat,
    SeatState,
    TransferState,
    VirtualClass,
)
from bookings.notices.returned_money import is_owed


@dataclass(frozen=True, slots=True)
class Balance:
    """Centavos, of classes and of seats in open classes.

    online, by_hand: received through the provider, and confirmed by the teacher, transfers too.
    returned: by refunds and chargebacks. unpaid: classes given or ahead that are not paid. refused:
    refunds that the provider refused. hand_to_return: paid by hand for classes and seats that were
    cancelled; the service does not know if she gave it back.
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
        """True if neither side owes the other, as far as the service knows."""
        return not (self.unpaid or self.refused)


def find_balance(user: User) -> Balance:
    """Sum up the payments and classes of a person who books."""
    online = (
        list_charges_with_money()
        .filter(payment__user=user)
        .aggregate(
            came=Sum("amount", default=0),
            refunded=Sum("refunded_amount", default=0),
            taken=Sum(
                F("amount") - F("refunded_amount"),
                filter=Q(status=ChargeStatus.CHARGED_BACK),
                default=0,
            ),
        )
    )
    given = [ClassStatus.SCHEDULED, ClassStatus.COMPLETED]
    unpaid = user.booked_classes.filter(
        paid_at=None, status__in=given, class_price__gt=0, open_class=None
    ).exclude(payment__approved_at__isnull=False)
    debt = unpaid.aggregate(total=Sum("class_price", default=0), count=Count("pk"))
    return Balance(
        online=online["came"],
        by_hand=_sum_by_hand(user),
        returned=online["refunded"] + online["taken"],
        unpaid=debt["total"],
        unpaid_classes=debt["count"],
        refused=_sum_refused(user),
        hand_to_return=_sum_to_return_by_hand(user),
    )


def _sum_by_hand(user: User) -> int:
    classes = list_classes_paid_by_hand().filter(booked_by=user)
    seats = list_seats_paid_by_hand().filter(user=user)
    # Of the class or seat, not of the person who announced it: a class may have been claimed since.
    theirs = Q(virtual_class__booked_by=user) | Q(seat__user=user)
    transfers = list_confirmed_transfers().filter(theirs)
    sums = [
        *(rows.aggregate(sum=Sum("amount_by_hand", default=0)) for rows in (classes, seats)),
        transfers.aggregate(sum=Sum("amount", default=0)),
    ]
    return sum(one["sum"] for one in sums)


def _sum_to_return_by_hand(user: User) -> int:
    classes = user.booked_classes.filter(paid_at__isnull=False, status=ClassStatus.CANCELLED)
    over = [SeatState.LOST, SeatState.LEFT, SeatState.CANCELLED]
    seats = user.seats.filter(paid_at__isnull=False, state__in=over)
    return sum(
        [
            *(map(_rest_of_class, classes.select_related("payment").prefetch_related("transfers"))),
            *(map(_rest_of_seat, seats.select_related("payment").prefetch_related("transfers"))),
        ]
    )


def _rest_of_class(cancelled: VirtualClass) -> int:
    money = find_money_back(cancelled)
    if money.way == MoneyWay.ONLINE:  # the provider returns its own part
        return _sum_confirmed(cancelled.transfers.all())
    return money.amount


def _rest_of_seat(seat: Seat) -> int:
    if seat.payment and seat.payment.approved_at:
        return _sum_confirmed(seat.transfers.all())
    return max(seat.price - (seat.amount_kept or 0), 0)


def _sum_confirmed(transfers: Iterable[BankTransfer]) -> int:
    return sum(one.amount for one in transfers if one.state == TransferState.CONFIRMED)


def _sum_refused(user: User) -> int:
    failed = Refund.objects.filter(charge__payment__user=user, status=RefundStatus.FAILED)
    return sum(one.amount for one in failed.select_related("charge") if is_owed(one))
