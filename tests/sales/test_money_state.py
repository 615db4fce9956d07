"""Each state of money: the rows that lead to it, its words in both languages, and who may pay."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone, translation

from bookings.domain.change_policy import RefundCase
from bookings.domain.money.ledger import book_cash, book_charge, book_transfer
from bookings.domain.money.money_back import end_purchase, note_return
from bookings.models import (
    ChargeStatus,
    Payment,
    PaymentCharge,
    PaymentStatus,
    PriceDecision,
    Purchase,
    PurchaseState,
    Refund,
    RefundStatus,
    ReviewReason,
    TransferState,
)
from bookings.money_state import MoneyState, describe_money, with_money
from tests.factories import (
    BankTransferFactory,
    OpenClassFactory,
    PaymentFactory,
    PlaceFactory,
    PurchaseFactory,
    UserFactory,
    VirtualClassFactory,
)
from tests.money_states import PAGE, render

pytestmark = pytest.mark.django_db

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


def partly_returned() -> Purchase:
    purchase = paid_online()
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
    MoneyState.PARTLY_RETURNED: [partly_returned],
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


def read(purchase: Purchase):
    return describe_money(with_money(Purchase.objects.filter(pk=purchase.pk)).get(), timezone.now())


@pytest.mark.parametrize(("state", "build"), CASES)
def test_rows_lead_to_their_state(state, build):
    money = read(build())

    assert money.state is state
    assert money.may_pay == state.may_pay


@pytest.mark.parametrize(("state", "build"), CASES)
def test_words_are_whole_in_both_languages(state, build):
    money = read(build())
    spanish = [money.badge, money.line, money.cancelling]

    with translation.override("en"):
        english = [money.badge, money.line, money.cancelling]

    for text in [*spanish, *english, money.hers, money.report]:
        assert "%(" not in text
        assert "  " not in text
    assert all(one != other for one, other in zip(spanish, english, strict=True) if one)


def test_every_state_but_the_page_of_return_has_rows():
    assert set(MoneyState) - BUILDERS.keys() == {MoneyState.PROCESSING}


def test_who_comes_back_from_paying_waits():
    purchase = lapsed()

    money = describe_money(purchase, timezone.now(), says_paid=True)

    assert money.state is MoneyState.PROCESSING
    assert not money.may_pay


def test_second_payment_is_told_besides():
    purchase = paid_online()
    transfer = BankTransferFactory(purchase=purchase, state=TransferState.CONFIRMED)
    book_transfer(transfer, is_second=True, by=UserFactory())
    Refund.objects.create(
        purchase=purchase,
        way="transfer",
        transfer=transfer,
        amount=PRICE,
        reason="paid_twice",
        key="by-hand-1",
        next_attempt_at=None,
    )

    money = read(purchase)

    assert money.state is MoneyState.PAID
    assert "Pagaste dos veces: la profe te devuelve $ 15.000." in money.line.replace("\xa0", " ")


@pytest.mark.parametrize("count", [1, 3])
def test_any_number_of_purchases_takes_the_same_queries(count, django_assert_num_queries):
    for _ in range(count):
        paid_online()

    with django_assert_num_queries(5):
        states = [
            describe_money(one, timezone.now()).line for one in with_money(Purchase.objects.all())
        ]

    assert len(states) == count


def test_page_of_docs_is_current():
    assert PAGE.read_text() == render(), "Run python -m tests.money_states"
