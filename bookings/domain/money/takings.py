"""Money received and returned, by month."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db.models import F, Q, QuerySet, Sum
from django.db.models.functions import Coalesce, TruncMonth
from django.utils import timezone

from bookings.availability.agenda import whole_days
from bookings.domain.money.charges import MONEY_CAME
from bookings.models import ChargeStatus, PaymentCharge, ReviewReason, VirtualClass

# Money of another account, or not in pesos.
FOREIGN = [ReviewReason.CURRENCY, ReviewReason.ACCOUNT]


@dataclass(slots=True)
class MonthTakings:
    """Centavos. by_hand: confirmed by the teacher. charged_back: taken back by banks."""

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
    """List this month and those before it, ``count`` in all, also without money: two queries."""
    months = [timezone.localdate().replace(day=1)]
    while len(months) < count:
        months.append((months[-1] - timedelta(days=1)).replace(day=1))
    known = {one.month: one for one in list_monthly_takings(since=months[-1])}
    return [known.get(month) or MonthTakings(month) for month in months]


def list_monthly_takings(*, since: date | None = None) -> list[MonthTakings]:
    """List the months with money, latest first, in two queries. since: the first day that counts.

    A refund counts in the month of its charge.
    """
    charges = PaymentCharge.objects.filter(status__in=MONEY_CAME).exclude(problem__in=FOREIGN)
    taken_back = Q(status=ChargeStatus.CHARGED_BACK)
    online = _sum_by_month(
        charges,
        Coalesce("payment__approved_at", "seen_at"),
        since,
        received=Sum("amount"),
        returned=Sum("refunded_amount"),
        charged_back=Sum(F("amount") - F("refunded_amount"), filter=taken_back, default=0),
        disputed=Sum("amount", filter=Q(status=ChargeStatus.DISPUTED), default=0),
    )
    classes = VirtualClass.objects.exclude(payment__approved_at__isnull=False)
    paid = classes.filter(paid_at__isnull=False)
    by_hand = _sum_by_month(paid, F("paid_at"), since, by_hand=Sum("class_price"))
    months: defaultdict[date, dict[str, int]] = defaultdict(dict)
    for row in [*online, *by_hand]:
        months[row.pop("month").date()] |= row
    return [MonthTakings(month, **sums) for month, sums in sorted(months.items(), reverse=True)]


def _sum_by_month(
    rows: QuerySet[Any], at: F | Coalesce, since: date | None, **sums: Sum
) -> Iterator[dict[str, Any]]:
    dated = rows.annotate(at=at)
    if since is not None:
        dated = dated.filter(at__gte=whole_days(since, since).start)
    yield from dated.annotate(month=TruncMonth("at")).order_by().values("month").annotate(**sums)
