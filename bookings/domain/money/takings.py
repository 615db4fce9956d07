"""Money received and returned, by month and by person: sums of the ledger. Payments to review."""

import uuid
from dataclasses import dataclass
from datetime import date, timedelta

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet, Sum
from django.db.models.functions import TruncMonth
from django.utils import timezone

from accounts.models import User
from bookings.availability.agenda import whole_days
from bookings.availability.slots import Period
from bookings.models import (
    ChargeStatus,
    ClassStatus,
    Entry,
    EntryKind,
    MoneyWay,
    Payment,
    Purchase,
    Refund,
    RefundStatus,
    ReviewReason,
)
from bookings.money_state import with_money

IS_ONLINE = Q(way=MoneyWay.ONLINE)
CAME = Q(kind=EntryKind.PAYMENT)
IS_REFUND = Q(kind=EntryKind.REFUND)
IS_CHARGEBACK = Q(kind=EntryKind.CHARGEBACK)


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
    """List the last ``count`` months, this one first, in one query."""
    months = [timezone.localdate().replace(day=1)]
    while len(months) < count:
        months.append((months[-1] - timedelta(days=1)).replace(day=1))
    known = {one.month: one for one in list_monthly_takings(since=months[-1])}
    return [known.get(month) or MonthTakings(month) for month in months]


def list_monthly_takings(*, since: date | None = None) -> list[MonthTakings]:
    """List the months with money, latest first, in one query.

    Money counts in the month in which it moved.
    """
    entries = Entry.objects.all()
    if since is not None:
        entries = entries.filter(at__gte=whole_days(since, since).start)
    months = entries.annotate(month=TruncMonth("at")).order_by("-month").values("month")
    sums = months.annotate(
        received=Sum("amount", filter=CAME & IS_ONLINE, default=0),
        by_hand=Sum("amount", filter=CAME & ~IS_ONLINE, default=0),
        returned=-Sum("amount", filter=IS_REFUND, default=0),
        charged_back=-Sum("amount", filter=IS_CHARGEBACK, default=0),
        disputed=Sum("amount", filter=CAME & Q(charge__status=ChargeStatus.DISPUTED), default=0),
    )
    return [MonthTakings(**row | {"month": row["month"].date()}) for row in sums]


def list_entries_of(month: date) -> QuerySet[Entry]:
    """List what makes up the sums of a month, earliest first. Raises OverflowError."""
    last = (month + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    purchases = Prefetch("purchase", with_money(Purchase.objects.all()))
    entries = _within(whole_days(month, last)).select_related("charge", "transfer")
    return entries.prefetch_related(purchases)


def list_paid_between(payments: QuerySet[Payment], first: date, last: date) -> QuerySet[Payment]:
    """List the payments whose money, or money taken by hand instead, came in these days."""
    came = _within(whole_days(first, last)).filter(CAME)
    return payments.filter(Exists(came.filter(purchase=OuterRef("purchase"))))


def _within(days: Period) -> QuerySet[Entry]:
    return Entry.objects.filter(at__gte=days.start, at__lt=days.end)


@dataclass(frozen=True, slots=True)
class Balance:
    """Centavos.

    by_hand: transfers included. returned: by refunds, and by hand. charged_back: taken back by
    banks. unpaid: of scheduled or completed classes. refused: refunds that the provider refused.
    to_return: promised by the teacher, and not returned yet.
    """

    online: int
    by_hand: int
    returned: int
    charged_back: int
    unpaid: int
    unpaid_classes: int
    refused: int
    to_return: int

    @property
    def paid(self) -> int:
        return self.online + self.by_hand

    @property
    def is_settled(self) -> bool:
        return not (self.unpaid or self.refused or self.to_return)


def find_balance(user: User) -> Balance:
    sums = Entry.objects.filter(purchase__person=user).aggregate(
        online=Sum("amount", filter=CAME & IS_ONLINE, default=0),
        by_hand=Sum("amount", filter=CAME & ~IS_ONLINE, default=0),
        returned=-Sum("amount", filter=IS_REFUND, default=0),
        charged_back=-Sum("amount", filter=IS_CHARGEBACK, default=0),
    )
    given = [ClassStatus.SCHEDULED, ClassStatus.COMPLETED]
    unpaid = Purchase.objects.classes().filter(
        person=user, paid_at=None, price__gt=0, virtual_class__status__in=given
    )
    owed = [one.missing for one in unpaid.prefetch_related("entries__charge", "refunds__charge")]
    refunds = Refund.objects.filter(purchase__person=user)
    failed = refunds.filter(status=RefundStatus.FAILED).select_related("charge")
    return Balance(
        **sums,
        unpaid=sum(owed),
        unpaid_classes=len(owed),
        refused=sum(one.owed for one in failed),
        to_return=refunds.by_hand().open().aggregate(sum=Sum("amount", default=0))["sum"],
    )


def count_payments_to_review() -> int:
    return Payment.objects.exclude(review=ReviewReason.NONE).count()


def put_aside(*, payment_id: uuid.UUID, reason: str, by: User) -> bool:
    """Unflag a payment; False if ``reason`` is outdated."""
    now = timezone.now()
    flagged = Payment.objects.filter(pk=payment_id, review=reason).exclude(review=ReviewReason.NONE)
    return bool(
        flagged.update(review=ReviewReason.NONE, reviewed_at=now, reviewed_by=by, updated_at=now)
    )
