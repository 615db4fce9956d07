"""The referee sees money that was lost, doubled, or booked in another way than it moved."""

import pytest

from accounts.models import User
from bookings.models import (
    BankTransfer,
    ClassEvent,
    ClassLog,
    ClassStatus,
    EntryKind,
    MoneyWay,
    PurchaseState,
    Refund,
    RefundReason,
    RefundStatus,
    ReviewReason,
    TransferState,
)
from tests.drills_tests.scenery import NOW, pending_class


def drop_paid_class(scenery, **fields):
    dropped = pending_class(**fields)
    scenery.rows.classes.append(dropped)
    scenery.rows.purchases.append(scenery.sell(dropped, paid_at=NOW, price=0))


def forget_the_sale(scenery):
    scenery.rows.purchases.clear()
    scenery.rows.payments.clear()
    scenery.rows.entries.clear()


def sell_twice(scenery):
    scenery.rows.purchases.append(scenery.sell(scenery.one))


def refund(scenery, status, **fields):
    fields = {"way": MoneyWay.ONLINE, "charge": scenery.charge, "amount": 100, **fields}
    scenery.rows.refunds.append(Refund(purchase=scenery.purchase, status=status, **fields))


def refund_twice(scenery):
    scenery.outside.charges[0]["refunds"] = [{"status": "approved"}, {"status": "approved"}]
    refund(scenery, RefundStatus.DONE)


def lose_refund(scenery):
    refund(scenery, RefundStatus.DONE)


def leave_refund(scenery):
    refund(scenery, RefundStatus.REQUESTED)


def keep_a_cancelled_class_paid(scenery):
    scenery.one.status = ClassStatus.CANCELLED


def keep_money_of_a_cancelled_class(scenery):
    scenery.one.status = ClassStatus.CANCELLED
    scenery.purchase.state = PurchaseState.ENDED


def refund_what_stays_paid(scenery):
    scenery.outside.charges[0]["transaction_amount_refunded"] = 1
    scenery.rows.entries.append(scenery.entry(-100, EntryKind.REFUND, charge=scenery.charge))


def forget_that_it_was_paid(scenery):
    scenery.purchase.state, scenery.purchase.paid_at = PurchaseState.KEPT, None


def book_nothing(scenery):
    scenery.rows.entries.clear()


def book_twice(scenery):
    scenery.rows.entries.append(scenery.entry(100, charge=scenery.charge, is_second=True))


def miss_a_refund_of_the_provider(scenery):
    scenery.outside.charges[0]["transaction_amount_refunded"] = 0.5


def lose_a_charge(scenery):
    scenery.rows.charges.clear()
    scenery.rows.entries.clear()


def return_more_than_came(scenery):
    scenery.rows.entries.append(scenery.entry(-150, EntryKind.REFUND, MoneyWay.CASH))


def transfer(scenery, state, booked=0):
    one = BankTransfer(purchase=scenery.purchase, amount=100, state=state)
    scenery.rows.transfers.append(one)
    for _ in range(booked):
        entry = scenery.entry(100, way=MoneyWay.TRANSFER, transfer=one, is_second=True)
        scenery.rows.entries.append(entry)


def forget_a_transfer(scenery):
    transfer(scenery, TransferState.CONFIRMED)


def book_a_transfer_that_waits(scenery):
    transfer(scenery, TransferState.ANNOUNCED, booked=1)


def book_a_transfer_twice(scenery):
    transfer(scenery, TransferState.CONFIRMED, booked=2)


def return_in_cash(scenery, status, *, is_booked):
    refund(scenery, status, way=MoneyWay.CASH, pk=7, amount=10)
    if is_booked:
        entry = scenery.entry(-10, EntryKind.REFUND, MoneyWay.CASH, source="refund:7")
        scenery.rows.entries.append(entry)


def forget_a_return(scenery):
    return_in_cash(scenery, RefundStatus.DONE, is_booked=False)


def book_a_return_that_is_only_promised(scenery):
    return_in_cash(scenery, RefundStatus.REQUESTED, is_booked=True)


def sell_a_place(scenery, state=PurchaseState.PAID, person=None):
    """The guest's place was bought in an open class, which the teacher published."""
    scenery.rows.log.append(ClassLog(virtual_class=scenery.one, event=ClassEvent.PUBLISHED))
    sold = scenery.sell(scenery.one, person or scenery.guest, paid_at=NOW, state=state)
    sold.pk, scenery.rows.purchases = scenery.purchase.pk, [sold]


def lose_the_place_of_a_purchase(scenery):
    sell_a_place(scenery, person=User(email="carla@example.com"))


def keep_a_place_of_a_cancelled_class(scenery):
    sell_a_place(scenery)
    scenery.one.status = ClassStatus.CANCELLED


def forget_a_paid_place(scenery):
    sell_a_place(scenery, PurchaseState.KEPT)


def keep_the_money_of_a_lost_place(scenery):
    sell_a_place(scenery, PurchaseState.LOST)


@pytest.mark.parametrize(
    ("plant", "kind", "subject"),
    [
        (drop_paid_class, "lost", "paid class"),
        (forget_the_sale, "lost", "purchase"),
        (sell_twice, "doubled", "purchase"),
        (refund_twice, "doubled", "refund"),
        (lose_refund, "lost", "refund"),
        (leave_refund, "lost", "refund"),
        (keep_a_cancelled_class_paid, "wrong", "purchase"),
        (keep_money_of_a_cancelled_class, "lost", "refund"),
        (refund_what_stays_paid, "wrong", "refund"),
        (forget_that_it_was_paid, "lost", "payment"),
        (book_nothing, "wrong", "entry"),
        (book_nothing, "lost", "entry"),
        (book_twice, "wrong", "entry"),
        (miss_a_refund_of_the_provider, "wrong", "entry"),
        (lose_a_charge, "lost", "entry"),
        (return_more_than_came, "wrong", "balance"),
        (forget_a_transfer, "lost", "entry"),
        (book_a_transfer_that_waits, "doubled", "entry"),
        (book_a_transfer_twice, "doubled", "entry"),
        (forget_a_return, "lost", "entry"),
        (book_a_return_that_is_only_promised, "doubled", "entry"),
        (lose_the_place_of_a_purchase, "lost", "place"),
        (keep_a_place_of_a_cancelled_class, "wrong", "purchase"),
        (forget_a_paid_place, "lost", "payment"),
        (forget_a_paid_place, "wrong", "place"),
        (keep_the_money_of_a_lost_place, "lost", "refund"),
    ],
)
def test_referee_finds_money_that_broke_a_promise(scenery, plant, kind, subject):
    plant(scenery)

    assert ("I5", kind, subject) in scenery.judge()


def end_without_its_money(scenery):
    """The class was cancelled, and the teacher still has to return the money."""
    refund(scenery, RefundStatus.REQUESTED, way=MoneyWay.CASH, charge=None, pk=7)
    cancel(scenery)


def cancel(scenery):
    scenery.purchase.state, scenery.one.status = PurchaseState.ENDED, ClassStatus.CANCELLED
    for person in (scenery.host, scenery.guest):
        notice = scenery.notice(person, "cancelled")
        scenery.rows.notices.append(notice)
        scenery.outside.mails.append(scenery.mail(notice))
    scenery.outside.events.clear()


def show_it_to_the_teacher(scenery):
    forget_that_it_was_paid(scenery)
    scenery.payment.review = ReviewReason.SHORT


def refuse_a_paid_class(scenery):
    drop_paid_class(scenery, scheduling_refusal="calendar_refused")


def return_cash(scenery):
    return_in_cash(scenery, RefundStatus.DONE, is_booked=True)


def return_what_was_kept(scenery):
    """It was cancelled late, so the teacher kept all; then she returned a part of her own."""
    cancel(scenery)
    scenery.purchase.amount_kept = 100
    return_cash(scenery)
    scenery.rows.refunds[-1].reason = RefundReason.BY_TEACHER


@pytest.mark.parametrize(
    "plant",
    [
        sell_a_place,
        end_without_its_money,
        show_it_to_the_teacher,
        refuse_a_paid_class,
        return_cash,
        return_what_was_kept,
    ],
)
def test_money_that_is_where_it_belongs_breaks_nothing(scenery, plant):
    plant(scenery)

    assert scenery.judge() == set()
