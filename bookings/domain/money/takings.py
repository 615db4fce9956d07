"""Money received and returned, by month: sums of the ledger."""

from dataclasses import dataclass
from datetime import date, timedelta

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet, Sum
from django.db.models.functions import TruncMonth
from django.utils import timezone

from bookings.availability.agenda import whole_days
from bookings.availability.periods import Period
from bookings.models import ChargeStatus, Entry, EntryKind, MoneyWay, Payment, Purchase
from bookings.money_state import with_money

IS_ONLINE = Q(way=MoneyWay.ONLINE)
CAME = Q(kind=EntryKind.PAYMENT)


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
        returned=-Sum("amount", filter=Q(kind=EntryKind.REFUND), default=0),
        charged_back=-Sum("amount", filter=Q(kind=EntryKind.CHARGEBACK), default=0),
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
