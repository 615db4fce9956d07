"""Money received and returned, by month."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import F, Q, Sum
from django.db.models.functions import Coalesce, TruncMonth

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


def list_monthly_takings() -> list[MonthTakings]:
    """List the months with money, latest first, in two queries.

    A refund counts in the month of its charge.
    """
    months: defaultdict[date, dict[str, int]] = defaultdict(dict)
    for row in [*_through_the_provider(), *_by_hand()]:
        month = row.pop("month").date()
        months[month] |= {name: amount or 0 for name, amount in row.items()}
    return [MonthTakings(month, **sums) for month, sums in sorted(months.items(), reverse=True)]


def _through_the_provider() -> list[dict[str, Any]]:
    arrived = Coalesce("payment__approved_at", "seen_at")
    taken_back = Q(status=ChargeStatus.CHARGED_BACK)
    sums = (
        PaymentCharge.objects.filter(status__in=MONEY_CAME)
        .exclude(problem__in=FOREIGN)
        .annotate(month=TruncMonth(arrived))
        .order_by()
        .values("month")
        .annotate(
            received=Sum("amount"),
            returned=Sum("refunded_amount"),
            charged_back=Sum(F("amount") - F("refunded_amount"), filter=taken_back),
            disputed=Sum("amount", filter=Q(status=ChargeStatus.DISPUTED)),
        )
    )
    return [dict(row) for row in sums]


def _by_hand() -> list[dict[str, Any]]:
    sums = (
        VirtualClass.objects.filter(paid_at__isnull=False)
        .exclude(payment__approved_at__isnull=False)
        .annotate(month=TruncMonth("paid_at"))
        .order_by()
        .values("month")
        .annotate(by_hand=Sum("class_price"))
    )
    return [dict(row) for row in sums]
