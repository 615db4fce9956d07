"""Money received and returned, by month."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import (
    BigIntegerField,
    Case,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    TextChoices,
    Value,
    When,
)
from django.db.models.functions import Coalesce, Greatest, TruncMonth
from django.utils import timezone

from accounts.models import User
from bookings.availability.agenda import whole_days
from bookings.availability.periods import Period
from bookings.domain.money.charges import MONEY_CAME
from bookings.models import (
    PAID_BY_HAND,
    BankTransfer,
    ChargeStatus,
    Payment,
    PaymentCharge,
    ReviewReason,
    Seat,
    TransferState,
    VirtualClass,
    with_rest,
)

# Money of another account, or not in pesos.
FOREIGN = [ReviewReason.CURRENCY, ReviewReason.ACCOUNT]
# The money of these transfers reached the teacher.
TRANSFER_CAME = [TransferState.CONFIRMED, TransferState.TO_RETURN, TransferState.RETURNED]
# Django calls a difference of such fields an IntegerField.
CENTAVOS = BigIntegerField()
NOTHING = Value(0, CENTAVOS)
CHARGED_AT = Coalesce("payment__approved_at", "seen_at")


@dataclass(slots=True)
class MonthTakings:
    """Centavos. by_hand: confirmed by the teacher."""

    month: date
    received: int = 0
    by_hand: int = 0
    returned: int = 0
    charged_back: int = 0
    disputed: int = 0

    @property
    def net(self) -> int:
        return self.received + self.by_hand - self.returned - self.charged_back


def list_recent_months(count: int) -> list[MonthTakings]:
    """List the last ``count`` months, this one first, in four queries."""
    months = [timezone.localdate().replace(day=1)]
    while len(months) < count:
        months.append((months[-1] - timedelta(days=1)).replace(day=1))
    known = {one.month: one for one in list_monthly_takings(since=months[-1])}
    return [known.get(month) or MonthTakings(month) for month in months]


def list_monthly_takings(*, since: date | None = None) -> list[MonthTakings]:
    """List the months with money, latest first, in four queries.

    A refund counts in the month of its charge or transfer; a second payment counts until returned.
    """
    taken_back = Q(status=ChargeStatus.CHARGED_BACK)
    online = _sum_by_month(
        list_charges_with_money(),
        CHARGED_AT,
        since,
        received=Sum("amount"),
        returned=Sum("refunded_amount"),
        charged_back=Sum(F("amount") - F("refunded_amount"), filter=taken_back, default=0),
        disputed=Sum("amount", filter=Q(status=ChargeStatus.DISPUTED), default=0),
    )
    marked = [
        _sum_by_month(rows, F("paid_at"), since, by_hand=Sum("amount_by_hand"))
        for rows in (list_classes_paid_by_hand(), list_seats_paid_by_hand())
    ]
    transfers = _sum_by_month(
        list_transfers_with_money(),
        F("decided_at"),
        since,
        by_hand=Sum("amount"),
        returned=Sum("returned"),
    )
    months: defaultdict[date, Counter[str]] = defaultdict(Counter)
    for rows in (online, *marked, transfers):
        for row in rows:
            months[row.pop("month").date()].update(row)
    return [MonthTakings(month, **sums) for month, sums in sorted(months.items(), reverse=True)]


class TakingWay(TextChoices):
    ONLINE = "online", "Mercado Pago"
    TRANSFER = "transfer", "Transferencia"
    CASH = "cash", "A mano"


@dataclass(frozen=True, slots=True)
class Taking:
    """Money as a month counts it, in centavos. number: of the operation, if it has one."""

    at: datetime
    way: TakingWay
    payer: User
    virtual_class: VirtualClass | None
    received: int
    returned: int = 0
    number: str = ""


def list_takings_of(month: date) -> list[Taking]:
    """List what makes up the sums of a month, earliest first. Raises OverflowError."""
    days = whole_days(month, (month + timedelta(days=31)).replace(day=1) - timedelta(days=1))
    of_class, of_seat = "virtual_class__offer", "seat__open_class__virtual_class__offer"
    charges = (
        list_charges_with_money()
        .annotate(at=CHARGED_AT)
        .select_related("payment__user", f"payment__{of_class}", f"payment__{of_seat}")
    )
    transfers = list_transfers_with_money().select_related("user", of_class, of_seat)
    classes = list_classes_paid_by_hand().select_related("booked_by", "offer")
    seats = list_seats_paid_by_hand().select_related("user", of_seat.removeprefix("seat__"))
    takings = [
        *map(_take_charge, _within(days, charges, "at")),
        *map(_take_transfer, _within(days, transfers, "decided_at")),
        *map(_take_class, _within(days, classes, "paid_at")),
        *map(_take_seat, _within(days, seats, "paid_at")),
    ]
    return sorted((one for one in takings if one.received), key=lambda one: one.at)


def list_paid_between(payments: QuerySet[Payment], first: date, last: date) -> QuerySet[Payment]:
    """List the payments whose money the months of these days count."""
    days = whole_days(first, last)
    charges = list_charges_with_money().annotate(at=CHARGED_AT).filter(payment=OuterRef("pk"))
    by_hand = Q(virtual_class__paid_at__gte=days.start, virtual_class__paid_at__lt=days.end) | Q(
        seat__paid_at__gte=days.start, seat__paid_at__lt=days.end
    )
    came = Exists(charges.filter(at__gte=days.start, at__lt=days.end))
    return payments.filter(came | PAID_BY_HAND & by_hand)


def list_charges_with_money() -> QuerySet[PaymentCharge]:
    """List the charges that reached the teacher's account, refunded or not."""
    return PaymentCharge.objects.filter(status__in=MONEY_CAME).exclude(problem__in=FOREIGN)


def list_classes_paid_by_hand() -> QuerySet[VirtualClass]:
    """List the classes marked as paid by the teacher, with ``amount_by_hand`` in centavos.

    Leaves out classes paid by charge or transfer, and open classes, whose seats count.
    """
    marked = VirtualClass.objects.filter(open_class=None)
    of_class = OuterRef("pk")
    charges = PaymentCharge.objects.filter(payment__virtual_class=of_class)
    transfers = list_transfers_with_money().filter(virtual_class=of_class)
    return _only_by_hand(marked, "class_price", charges, transfers)


def list_seats_paid_by_hand() -> QuerySet[Seat]:
    of_seat = OuterRef("pk")
    charges = PaymentCharge.objects.filter(payment__seat=of_seat)
    transfers = list_transfers_with_money().filter(seat=of_seat)
    return _only_by_hand(Seat.objects.all(), "price", charges, transfers)


def list_transfers_with_money() -> QuerySet[BankTransfer]:
    """List the transfers that came, with ``rest`` and ``returned`` in centavos."""
    came = with_rest(BankTransfer.objects.filter(state__in=TRANSFER_CAME))
    went_back = When(state=TransferState.RETURNED, then=F("rest"))
    return came.annotate(returned=Case(went_back, default=NOTHING))


def _only_by_hand(
    rows: QuerySet[Any],
    price: str,
    charges: QuerySet[PaymentCharge],
    transfers: QuerySet[BankTransfer],
) -> QuerySet[Any]:
    marked = rows.filter(paid_at__isnull=False).exclude(payment__approved_at__isnull=False)
    # A transfer that came later was a second payment.
    by_transfer = transfers.filter(decided_at__lte=OuterRef("paid_at"))
    # Of charges that were not enough the rest was taken in cash.
    parts = charges.order_by().values("payment").annotate(sum=Sum("part_paid")).values("sum")
    paid_before = Coalesce(Subquery(parts, output_field=CENTAVOS), NOTHING)
    by_hand = marked.exclude(Exists(by_transfer))
    rest = Greatest(F(price) - paid_before, NOTHING, output_field=CENTAVOS)
    counted: QuerySet[Any] = by_hand.annotate(amount_by_hand=rest)
    return counted


def _sum_by_month(
    rows: QuerySet[Any], at: F | Coalesce, since: date | None, **sums: Sum
) -> Iterator[dict[str, Any]]:
    dated = rows.annotate(at=at)
    if since is not None:
        dated = dated.filter(at__gte=whole_days(since, since).start)
    yield from dated.annotate(month=TruncMonth("at")).order_by().values("month").annotate(**sums)


def _within(days: Period, rows: QuerySet[Any], at: str) -> QuerySet[Any]:
    return rows.filter(**{f"{at}__gte": days.start, f"{at}__lt": days.end})


def _take_charge(charge: Any) -> Taking:
    is_gone = charge.status == ChargeStatus.CHARGED_BACK
    returned = charge.amount if is_gone else charge.refunded_amount
    about, payer = charge.payment.paid_class, charge.payment.user
    return Taking(
        charge.at, TakingWay.ONLINE, payer, about, charge.amount, returned, charge.charge_id
    )


def _take_transfer(transfer: Any) -> Taking:
    return Taking(
        transfer.decided_at,
        TakingWay.TRANSFER,
        transfer.user,
        transfer.booked_class,
        transfer.amount,
        transfer.returned,
        transfer.operation_number,
    )


def _take_class(row: Any) -> Taking:
    return Taking(row.paid_at, TakingWay.CASH, row.booked_by, row, row.amount_by_hand)


def _take_seat(seat: Any) -> Taking:
    about = seat.open_class.virtual_class
    return Taking(seat.paid_at, TakingWay.CASH, seat.user, about, seat.amount_by_hand)
