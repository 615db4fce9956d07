"""How the money of a class goes back when the class is cancelled."""

from dataclasses import dataclass
from enum import StrEnum

from bookings.domain.money.refunds import sum_refundable
from bookings.models import Payment, VirtualClass


class MoneyWay(StrEnum):
    """How the money of a cancelled class goes back."""

    FREE = "free"
    UNPAID = "unpaid"
    ONLINE = "online"
    BY_HAND = "by_hand"


@dataclass(frozen=True, slots=True)
class MoneyBack:
    """What goes back when the class is cancelled. amount: centavos."""

    way: MoneyWay
    amount: int = 0


def find_money_back(virtual_class: VirtualClass) -> MoneyBack:
    """Return what goes back to the host who cancels the class, or cancelled it, and how."""
    payment: Payment | None = getattr(virtual_class, "payment", None)
    if payment is not None and payment.approved_at is not None:
        return MoneyBack(MoneyWay.ONLINE, sum_refundable(payment))
    if virtual_class.class_price == 0:
        return MoneyBack(MoneyWay.FREE)
    if virtual_class.paid_at is not None:
        return MoneyBack(MoneyWay.BY_HAND, virtual_class.class_price)
    return MoneyBack(MoneyWay.UNPAID)
