"""A world in which every promise is kept."""

from datetime import UTC, datetime

from accounts.models import User
from bookings.models import (
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
    Role,
    UserActivity,
    VirtualClass,
)
from tests.drills.evidence import Outside, Promises, Rows
from tests.drills.mails import Mail
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
