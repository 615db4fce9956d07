"""Money received and returned, by month: sums of the ledger."""

from dataclasses import dataclass
from datetime import date, timedelta

from django.db.models import Q, Sum
from django.db.models.functions import TruncMonth
from django.utils import timezone

from bookings.availability.agenda import whole_days
from bookings.models import ChargeStatus, Entry, EntryKind, EntryWay

IS_ONLINE = Q(way=EntryWay.ONLINE)
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
