"""The referee sees money that was lost, doubled, or booked in another way than it moved."""

from datetime import UTC, datetime

import pytest

from accounts.models import User
from bookings.models import (
    BankTransfer,
    ClassEvent,
    ClassLog,
    ClassStatus,
    Entry,
    EntryKind,
    HostType,
    MoneyWay,
    Notice,
    NoticeKind,
    Payment,
    PaymentCharge,
    Purchase,
    PurchaseKind,
    PurchaseState,
    Refund,
    RefundReason,
    RefundStatus,
    Role,
    TransferState,
    UserActivity,
    VirtualClass,
)
from tests.drills.evidence import Mail, Outside, Promises, Rows
from tests.drills.referee import judge

NOW = datetime(2026, 11, 23, 15, tzinfo=UTC)


def pending_class(**fields):
    """A class of which nothing is known but what is given."""
    return VirtualClass(max_participants=3, **{"preference_id": "preference-2", **fields})


class Scenery:
    """A class with a host and a guest, paid and scheduled, of which everybody was told."""

    def __init__(self):
        self.host, self.guest = User(email="ana@example.com"), User(email="bruno@example.com")
        self.one = self.make_class()
        host_part = self.activity(self.host, Role.HOST)
        guest_part = self.activity(self.guest, Role.PARTICIPANT)
        self.purchase = self.sell(self.one, paid_at=NOW)
        self.payment = Payment(purchase=self.purchase, amount=100)
        self.charge = PaymentCharge(payment=self.payment, charge_id="7", amount=100, counts=True)
        self.notices = [
            self.notice(self.host, NoticeKind.CONFIRMATION),
            self.notice(self.guest, NoticeKind.JOINED),
        ]
        self.rows = Rows(
            classes=[self.one],
            activities=[host_part, guest_part],
            log=[ClassLog(virtual_class=self.one, event=ClassEvent.SCHEDULED)],
            notices=self.notices,
            payments=[self.payment],
            charges=[self.charge],
            people=[self.host, self.guest],
            purchases=[self.purchase],
            entries=[self.entry(100, charge=self.charge)],
        )
        self.outside = Outside(
            events=[self.event("event1")],
            charges=[self.provider_charge()],
            mails=[self.mail(notice) for notice in self.notices],
        )
        self.promises = Promises(
            bookings={"preference-1"},
            places={(self.one.pk, self.guest.pk)},
            codes={self.one.pk: "ABCD2345"},
        )

    def make_class(self):
        people = [str(self.host.pk), str(self.guest.pk)]
        return VirtualClass(
            booked_by=self.host,
            preference_id="preference-1",
            start_time=NOW,
            status=ClassStatus.SCHEDULED,
            max_participants=3,
            current_participants=2,
            participants_ids=people,
            access_code="ABCD2345",
            provider_event_id="event1",
            html_link="https://meet.example",
            summary="Clase",
            host_type=HostType.HOST,
        )

    def sell(self, virtual_class, person=None, **fields):
        """Sell a class, or a place in it, for a peso; unpaid without ``paid_at``."""
        state = PurchaseState.PAID if fields.get("paid_at") else PurchaseState.KEPT
        return Purchase(
            kind=PurchaseKind.PLACE if person else PurchaseKind.CLASS,
            virtual_class=virtual_class,
            person=person or self.host,
            **{"price": 100, "state": state, **fields},
        )

    def entry(self, amount, kind=EntryKind.PAYMENT, way=MoneyWay.ONLINE, **fields):
        return Entry(purchase=self.purchase, kind=kind, way=way, amount=amount, at=NOW, **fields)

    def activity(self, user, rol):
        return UserActivity(user=user, virtual_class=self.one, rol=rol)

    def notice(self, user, kind):
        return Notice(
            virtual_class=self.one, user=user, kind=kind, sent_at=NOW, next_attempt_at=None
        )

    def event(self, event_id, reference=None, status="confirmed"):
        private = {"reference": reference or str(self.one.pk)}
        return {
            "id": event_id,
            "status": status,
            "start": {"dateTime": NOW.isoformat()},
            "extendedProperties": {"private": private},
        }

    def provider_charge(self):
        return {
            "id": 7,
            "external_reference": self.payment.reference,
            "date_approved": "2026-11-23",
            "status": "approved",
            "transaction_amount": 1,
            "transaction_amount_refunded": 0,
            "refunds": [],
        }

    def mail(self, notice, when="1"):
        return Mail(f"<{notice.pk}.{when}@example.com>", notice.user.email, "Clase")

    def judge(self):
        found = judge(self.rows, self.outside, self.promises, now=NOW)
        return {(one.invariant, one.kind, one.subject) for one in found}


@pytest.fixture
def scenery():
    return Scenery()


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


def keep_money_of_a_cancelled_class(scenery):
    scenery.one.status = ClassStatus.CANCELLED
    scenery.purchase.state = PurchaseState.ENDED


def refund_what_stays_paid(scenery):
    scenery.outside.charges[0]["transaction_amount_refunded"] = 1
    scenery.rows.entries.append(scenery.entry(-100, EntryKind.REFUND, charge=scenery.charge))


def book_nothing(scenery):
    scenery.rows.entries.clear()


def book_twice(scenery):
    scenery.rows.entries.append(scenery.entry(100, charge=scenery.charge, is_second=True))


def miss_a_refund_of_the_provider(scenery):
    scenery.outside.charges[0]["transaction_amount_refunded"] = 0.5


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


def return_in_cash(scenery, status, *, is_booked):
    refund(scenery, status, way=MoneyWay.CASH, pk=7, amount=10)
    if is_booked:
        entry = scenery.entry(-10, EntryKind.REFUND, MoneyWay.CASH, source="refund:7")
        scenery.rows.entries.append(entry)


def forget_a_return(scenery):
    return_in_cash(scenery, RefundStatus.DONE, is_booked=False)


def sell_a_place(scenery, state=PurchaseState.PAID, person=None):
    """The guest's place was bought in an open class, which the teacher published."""
    scenery.rows.log.append(ClassLog(virtual_class=scenery.one, event=ClassEvent.PUBLISHED))
    sold = scenery.sell(scenery.one, person or scenery.guest, paid_at=NOW, state=state)
    sold.pk, scenery.rows.purchases = scenery.purchase.pk, [sold]


def lose_the_place_of_a_purchase(scenery):
    sell_a_place(scenery, person=User(email="carla@example.com"))


def forget_a_paid_place(scenery):
    sell_a_place(scenery, PurchaseState.KEPT)


@pytest.mark.parametrize(
    ("plant", "kind", "subject"),
    [
        (drop_paid_class, "lost", "paid class"),
        (forget_the_sale, "lost", "purchase"),
        (sell_twice, "doubled", "purchase"),
        (refund_twice, "doubled", "refund"),
        (keep_money_of_a_cancelled_class, "lost", "refund"),
        (refund_what_stays_paid, "wrong", "refund"),
        (book_nothing, "wrong", "entry"),
        (book_nothing, "lost", "entry"),
        (book_twice, "wrong", "entry"),
        (miss_a_refund_of_the_provider, "wrong", "entry"),
        (return_more_than_came, "wrong", "balance"),
        (forget_a_transfer, "lost", "entry"),
        (forget_a_return, "lost", "entry"),
        (lose_the_place_of_a_purchase, "lost", "place"),
        (forget_a_paid_place, "lost", "payment"),
        (forget_a_paid_place, "wrong", "place"),
    ],
)
def test_referee_finds_money_that_broke_a_promise(scenery, plant, kind, subject):
    plant(scenery)

    assert ("I5", kind, subject) in scenery.judge()


def cancel(scenery):
    scenery.purchase.state, scenery.one.status = PurchaseState.ENDED, ClassStatus.CANCELLED
    for person in (scenery.host, scenery.guest):
        notice = scenery.notice(person, "cancelled")
        scenery.rows.notices.append(notice)
        scenery.outside.mails.append(scenery.mail(notice))
    scenery.outside.events.clear()


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
        return_cash,
        return_what_was_kept,
    ],
)
def test_money_that_is_where_it_belongs_breaks_nothing(scenery, plant):
    plant(scenery)

    assert scenery.judge() == set()
