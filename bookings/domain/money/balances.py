"""One person's payments, refunds and debts."""

from dataclasses import dataclass

from django.db.models import Sum

from accounts.models import User
from bookings.domain.money.takings import CAME, IS_ONLINE
from bookings.models import ClassStatus, Entry, Purchase, Refund, RefundStatus


@dataclass(frozen=True, slots=True)
class Balance:
    """Centavos.

    by_hand: transfers included. returned: by refunds and chargebacks, and by hand. unpaid: of
    scheduled or completed classes. refused: refunds that the provider refused. to_return: promised
    by the teacher, and not returned yet.
    """

    online: int
    by_hand: int
    returned: int
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
        returned=-Sum("amount", filter=~CAME, default=0),
    )
    given = [ClassStatus.SCHEDULED, ClassStatus.COMPLETED]
    unpaid = Purchase.objects.classes().filter(
        person=user, paid_at=None, price__gt=0, virtual_class__status__in=given
    )
    owed = [one.missing for one in unpaid.prefetch_related("entries__charge", "refunds")]
    refunds = Refund.objects.filter(purchase__person=user)
    failed = refunds.filter(status=RefundStatus.FAILED).select_related("charge")
    return Balance(
        **sums,
        unpaid=sum(owed),
        unpaid_classes=len(owed),
        refused=sum(one.amount for one in failed if one.is_owed),
        to_return=refunds.by_hand().open().aggregate(sum=Sum("amount", default=0))["sum"],
    )
