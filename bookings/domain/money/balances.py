"""One person's payments, refunds and debts."""

from dataclasses import dataclass

from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.functions import Coalesce, Greatest

from accounts.models import User
from bookings.domain.money.seat_refunds import SEATS_GIVEN_UP
from bookings.domain.money.takings import (
    list_charges_with_money,
    list_classes_paid_by_hand,
    list_seats_paid_by_hand,
    list_transfers_with_money,
)
from bookings.models import (
    BankTransfer,
    ChargeStatus,
    ClassStatus,
    Refund,
    RefundStatus,
    TransferState,
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
    sent_back = _list_transfers(user).aggregate(sum=Sum("returned", default=0))["sum"]
    return Balance(
        online=online["came"],
        by_hand=_sum_by_hand(user),
        returned=online["refunded"] + online["taken"] + sent_back,
        unpaid=debt["total"],
        unpaid_classes=debt["count"],
        refused=_sum_refused(user),
        hand_to_return=_sum_to_return_by_hand(user),
    )


def _list_transfers(user: User) -> QuerySet[BankTransfer]:
    # By the owner of the class or seat: it may have been claimed since the transfer was announced.
    theirs = Q(virtual_class__booked_by=user) | Q(seat__user=user)
    return list_transfers_with_money().filter(theirs)


def _sum_by_hand(user: User) -> int:
    return sum(
        rows.aggregate(sum=Sum(amount, default=0))["sum"]
        for rows, amount in (
            (list_classes_paid_by_hand().filter(booked_by=user), "amount_by_hand"),
            (list_seats_paid_by_hand().filter(user=user), "amount_by_hand"),
            (_list_transfers(user), "amount"),
        )
    )


def _sum_to_return_by_hand(user: User) -> int:
    classes = list_classes_paid_by_hand().filter(booked_by=user, status=ClassStatus.CANCELLED)
    seats = list_seats_paid_by_hand().filter(user=user, state__in=SEATS_GIVEN_UP)
    transfers = _list_transfers(user).filter(state=TransferState.TO_RETURN)
    cash = F("amount_by_hand") - Coalesce("amount_kept", 0)
    return sum(
        rows.aggregate(sum=Sum(amount, default=0))["sum"]
        for rows, amount in (
            (classes, Greatest(cash, 0)),
            (seats, Greatest(cash, 0)),
            (transfers, F("rest")),
        )
    )


def _sum_refused(user: User) -> int:
    failed = Refund.objects.filter(charge__payment__user=user, status=RefundStatus.FAILED)
    return sum(one.amount for one in failed.select_related("charge") if is_owed(one))
