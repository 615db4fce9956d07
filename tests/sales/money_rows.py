"""Rows that lead to each state of money."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from bookings.domain.money.charges import book_charge
from bookings.domain.money.money_back import end_purchase, note_return
from bookings.domain.money.purchases import book_cash
from bookings.models import (
    ChargeStatus,
    Payment,
    PaymentCharge,
    PaymentStatus,
    PriceDecision,
    Purchase,
    PurchaseState,
    Refund,
    RefundCase,
    RefundStatus,
    ReviewReason,
    TransferState,
)
from bookings.money_state import MoneyState
from tests.factories import (
    BankTransferFactory,
    OpenClassFactory,
    PaymentFactory,
    PlaceFactory,
    PurchaseFactory,
    UserFactory,
    VirtualClassFactory,
)

PRICE = 1_500_000


def class_sold(**fields: object) -> Purchase:
    fields = {"kept_until": timezone.now() + timedelta(minutes=15), **fields}
    return VirtualClassFactory(**fields).purchase


def charge_of(purchase: Purchase, amount: int = PRICE, **fields: object) -> PaymentCharge:
    """Store a charge as the provider reports it, with its entries."""
    payment = getattr(purchase, "payment", None) or PaymentFactory(
        purchase=purchase, status=PaymentStatus.PENDING
    )
    now = timezone.now()
    fields = {"status": ChargeStatus.APPROVED, "counts": purchase.is_paid, **fields}
    charge = PaymentCharge.objects.create(
        provider="mercadopago",
        payment=payment,
        charge_id=str(PaymentCharge.objects.count()),
        amount=amount,
        currency="ARS",
        account_id="1",
        approved_at=now,
        provider_updated_at=now,
        **fields,
    )
    book_charge(charge, is_second=False)
    if purchase.is_paid:
        Payment.objects.filter(pk=payment.pk).update(
            status=PaymentStatus.APPROVED, approved_at=purchase.paid_at
        )
    return charge


def paid_online(**fields: object) -> Purchase:
    purchase = class_sold(**{"scheduled": True, "paid": True, **fields})
    charge_of(purchase)
    return Purchase.objects.get(pk=purchase.pk)


def cancelled(purchase: Purchase, case: RefundCase = RefundCase.TEACHER_CANCELS) -> Purchase:
    locked = Purchase.objects.get(pk=purchase.pk)
    end_purchase(locked, case, None)
    return locked


def returned(purchase: Purchase) -> Purchase:
    """The provider made the refunds, and reported it."""
    for refund in purchase.refunds.all():
        charge = refund.online_charge
        charge.status, charge.refunded_amount = ChargeStatus.REFUNDED, refund.amount
        charge.save()
        book_charge(charge, is_second=False)
        Refund.objects.filter(pk=refund.pk).update(status=RefundStatus.DONE, done_at=timezone.now())
    return purchase


def in_cash(**fields: object) -> Purchase:
    purchase = class_sold(**{"scheduled": True, "paid": True, **fields})
    book_cash(purchase, purchase.price, UserFactory())
    return purchase


def free() -> Purchase:
    return class_sold(class_price=0, paid=True, scheduled=True)


def free_awaits_minimum() -> Purchase:
    return PlaceFactory(open_class=OpenClassFactory(place_price=0), paid=True)


def undecided() -> Purchase:
    return class_sold(price_decision=PriceDecision.WAITING, kept_until=None)


def disputed() -> Purchase:
    purchase = paid_online()
    purchase.payment.charges.update(status=ChargeStatus.DISPUTED)
    return purchase


def refund_failed() -> Purchase:
    purchase = cancelled(paid_online())
    purchase.refunds.update(status=RefundStatus.FAILED, next_attempt_at=None)
    return purchase


def charged_back() -> Purchase:
    purchase = paid_online()
    charge = purchase.payment.charges.get()
    charge.status = ChargeStatus.CHARGED_BACK
    book_charge(charge, is_second=False)
    return purchase


def kept_all() -> Purchase:
    return cancelled(paid_online(), RefundCase.PLACE_LEFT_LATE)


def kept_part() -> Purchase:
    purchase = paid_online()
    purchase.state, purchase.refund_reason = PurchaseState.ENDED, "cancelled"
    purchase.amount_kept = PRICE // 3
    purchase.save()
    charge = purchase.payment.charges.get()
    charge.refunded_amount = PRICE - purchase.amount_kept
    charge.save()
    book_charge(charge, is_second=False)
    return purchase


def returned_in_cash() -> Purchase:
    purchase = cancelled(in_cash())
    for refund in purchase.refunds.all():
        note_return(refund_id=refund.pk, actor=UserFactory())
    return purchase


def review() -> Purchase:
    purchase = class_sold()
    charge_of(purchase, status=ChargeStatus.REJECTED)
    Payment.objects.filter(purchase=purchase).update(review=ReviewReason.CURRENCY)
    return purchase


def unbooked() -> Purchase:
    purchase = PurchaseFactory(paid=True)
    charge_of(purchase)
    return purchase


def awaits_minimum() -> Purchase:
    place = PlaceFactory(paid=True)
    charge_of(place, place.price)
    return place


def place_paid() -> Purchase:
    place = PlaceFactory(open_class=OpenClassFactory(minimum=1, decision="goes_on"), paid=True)
    charge_of(place, place.price)
    return place


def partly_returned(purchase: Purchase) -> Purchase:
    charge = purchase.payment.charges.get()
    charge.refunded_amount = PRICE // 5
    charge.save()
    book_charge(charge, is_second=False)
    return purchase


def announced() -> Purchase:
    purchase = class_sold()
    BankTransferFactory(purchase=purchase)
    return purchase


def coupon() -> Purchase:
    purchase = class_sold()
    charge_of(purchase, status=ChargeStatus.PENDING)
    return purchase


def short() -> Purchase:
    purchase = class_sold()
    charge_of(purchase, PRICE // 3)
    return purchase


def transfer_refused() -> Purchase:
    purchase = class_sold()
    BankTransferFactory(purchase=purchase, state=TransferState.REFUSED)
    return purchase


def rejected() -> Purchase:
    purchase = class_sold()
    charge_of(purchase, status=ChargeStatus.REJECTED)
    Payment.objects.filter(purchase=purchase).update(status=PaymentStatus.REJECTED)
    return purchase


def lapsed() -> Purchase:
    return class_sold(kept_until=timezone.now() - timedelta(minutes=1))


BUILDERS: dict[MoneyState, list[Callable[[], Purchase]]] = {
    MoneyState.FREE_AWAITS_MINIMUM: [free_awaits_minimum],
    MoneyState.FREE: [free],
    MoneyState.UNDECIDED: [undecided],
    MoneyState.DISPUTED: [disputed],
    MoneyState.REFUND_FAILED: [refund_failed],
    MoneyState.OWED_BY_HAND: [lambda: cancelled(in_cash())],
    MoneyState.RETURNING: [lambda: cancelled(paid_online())],
    MoneyState.CHARGED_BACK: [charged_back],
    MoneyState.KEPT_PART: [kept_part],
    MoneyState.KEPT_ALL: [kept_all],
    MoneyState.RETURNED: [lambda: returned(cancelled(paid_online())), returned_in_cash],
    MoneyState.REVIEW: [review],
    MoneyState.ENDED_UNPAID: [lambda: cancelled(class_sold())],
    MoneyState.UNBOOKED: [unbooked],
    MoneyState.PREPARING: [lambda: paid_online(scheduled=False)],
    MoneyState.NOT_SCHEDULED: [
        lambda: paid_online(scheduled=False, scheduling_refusal="calendar_refused")
    ],
    MoneyState.AWAITS_MINIMUM: [awaits_minimum],
    MoneyState.PARTLY_RETURNED: [
        lambda: partly_returned(paid_online()),
        lambda: partly_returned(awaits_minimum()),
    ],
    MoneyState.PAID: [paid_online, in_cash, place_paid],
    MoneyState.ANNOUNCED: [announced],
    MoneyState.COUPON: [coupon],
    MoneyState.SHORT: [short],
    MoneyState.LAPSED: [lapsed, lambda: PlaceFactory(state=PurchaseState.LAPSED)],
    MoneyState.TIME_TAKEN: [lambda: class_sold(state=PurchaseState.LAPSED)],
    MoneyState.TRANSFER_REFUSED: [transfer_refused],
    MoneyState.REJECTED: [rejected],
    MoneyState.KEPT: [class_sold, PlaceFactory],
}
CASES = [
    pytest.param(state, build, id=f"{state.value}-{number}")
    for state, builders in BUILDERS.items()
    for number, build in enumerate(builders)
]
