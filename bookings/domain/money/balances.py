"""What one person paid, got back, and owes."""

from dataclasses import dataclass

from django.db.models import Count, F, Q, QuerySet, Sum

from accounts.models import User
from bookings.domain.money.charges import MONEY_CAME
from bookings.domain.money.money_back import find_money_back
from bookings.domain.money.takings import FOREIGN
from bookings.models import (
    ChargeStatus,
    ClassStatus,
    PaymentCharge,
    Refund,
    RefundStatus,
    TransferState,
    VirtualClass,
)
from bookings.notices.returned_money import is_owed


@dataclass(frozen=True, slots=True)
class Balance:
    """Centavos.

    online, by_hand: received through the provider, and confirmed by the teacher. returned: by
    refunds and chargebacks. unpaid: classes given or ahead that are not paid. refused:
    refunds that the provider refused. hand_to_return: paid by hand for classes that were
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
    charges = PaymentCharge.objects.filter(payment__user=user, status__in=MONEY_CAME)
    online = charges.exclude(problem__in=FOREIGN).aggregate(
        came=Sum("amount", default=0),
        refunded=Sum("refunded_amount", default=0),
        taken=Sum(
            F("amount") - F("refunded_amount"),
            filter=Q(status=ChargeStatus.CHARGED_BACK),
            default=0,
        ),
    )
    offline = user.booked_classes.exclude(payment__approved_at__isnull=False)
    by_hand = offline.filter(paid_at__isnull=False)
    given = [ClassStatus.SCHEDULED, ClassStatus.COMPLETED]
    unpaid = _sum_prices(offline.filter(paid_at=None, status__in=given, class_price__gt=0))
    owed = by_hand.exclude(transfers__state=TransferState.RETURNED)
    cancelled = owed.filter(status=ClassStatus.CANCELLED).select_related("payment")
    return Balance(
        online=online["came"],
        by_hand=_sum_prices(by_hand)[0],
        returned=online["refunded"] + online["taken"],
        unpaid=unpaid[0],
        unpaid_classes=unpaid[1],
        refused=_sum_refused(user),
        hand_to_return=sum(find_money_back(one).amount for one in cancelled),
    )


def _sum_prices(classes: QuerySet[VirtualClass]) -> tuple[int, int]:
    """Return the sum of the prices, and the number of classes."""
    sums = classes.aggregate(total=Sum("class_price", default=0), count=Count("pk"))
    return sums["total"], sums["count"]


def _sum_refused(user: User) -> int:
    failed = Refund.objects.filter(charge__payment__user=user, status=RefundStatus.FAILED)
    return sum(one.amount for one in failed.select_related("charge") if is_owed(one))
