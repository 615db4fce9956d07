"""Every mail in each of its states: a function that brings a world into it and gives the notice.

A kind without a function of its own is read in its plain state: to the host, about a scheduled
class.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from accounts.models import User
from bookings.domain.history import record_event
from bookings.domain.people.claiming import claim_class
from bookings.models import (
    ChargeStatus,
    ClassEvent,
    Message,
    Notice,
    NoticeKind,
    RefundReason,
    RefundStatus,
    VirtualClass,
    WaitingListEntry,
    WaitingState,
)
from bookings.notices.due import gather_for_day
from bookings.notices.to_teacher import DRIFTS
from tests.factories import HoldFactory
from tests.i18n.paid_pages import (
    announce,
    book_for_zoe,
    give_back,
    hold,
    make_payment,
    store_unbooked,
)
from tests.i18n.world import NOW, World

Show = Callable[[World], Notice]


@dataclass(frozen=True)
class Mail:
    """A kind of mail in one of its states."""

    kind: NoticeKind
    show: Show


MAILS: dict[str, Mail] = {}


def mail(kind: NoticeKind, name: str = "") -> Callable[[Show], Show]:
    """Add a state of a kind of mail, by default under the function's name."""

    def add(show: Show) -> Show:
        def show_kind(world: World) -> Notice:
            notice = show(world)
            notice.kind = kind
            return notice

        MAILS[name or show.__name__] = Mail(kind, show_kind)
        return show

    return add


def to(user: User, virtual_class: VirtualClass | None = None, occasion: str = "") -> Notice:
    """Give a notice that is not stored."""
    return Notice(user=user, virtual_class=virtual_class, occasion=occasion)


def move(virtual_class: VirtualClass, earlier: datetime) -> None:
    """Let a class have been at another time."""
    details = {"from": earlier.isoformat(), "to": virtual_class.start_time.isoformat()}
    record_event(virtual_class, ClassEvent.RESCHEDULED, details=details)


def write_message(world: World) -> Message:
    """Store a message without words of any language."""
    return Message.objects.create(pk=uuid.uuid4(), by=world.teacher, subject="2026", text="12:30")


@mail(NoticeKind.CONFIRMATION)
def confirmation(world):
    return to(world.host, world.schedule())


@mail(NoticeKind.CLASS_LINK)
def link_to_a_class(world):
    booked = book_for_zoe(world)
    booked.booked_by.language = world.language
    return to(booked.booked_by, booked)


@mail(NoticeKind.LINK_CLAIMED)
def class_that_an_account_claimed(world):
    return to(world.teacher, _claim_from_zoe(world))


@mail(NoticeKind.OWN_LINK_CLAIMED)
def own_class_that_an_account_claimed(world):
    claimed = _claim_from_zoe(world)
    zoe = claimed.link.made_for
    zoe.language = world.language
    return to(zoe, claimed)


def _claim_from_zoe(world: World) -> VirtualClass:
    return claim_class(user=world.host, token=book_for_zoe(world).link.token)


@mail(NoticeKind.RESCHEDULED)
def moved_class_for_a_guest(world):
    virtual_class = world.schedule()
    move(virtual_class, world.at("18:30", days=3))
    return to(world.guest, virtual_class)


@mail(NoticeKind.WAITING_CLASS_MOVED)
def moved_class_for_who_waits(world):
    virtual_class = world.schedule()
    move(virtual_class, world.at("18:30", days=3))
    WaitingListEntry.objects.create(virtual_class=virtual_class, user=world.guest)
    return to(world.guest, virtual_class)


@mail(NoticeKind.CANCELLED)
def cancelled_class_whose_money_comes_back(world):
    payment = make_payment(world, charge=ChargeStatus.APPROVED, approved_at=NOW)
    give_back(payment, RefundReason.CANCELLED, RefundStatus.REQUESTED)
    return to(world.host, payment.purchase.virtual_class)


@mail(NoticeKind.HOLD_LOST)
def time_that_a_paid_class_took(world):
    return to(world.host, occasion=f"{'0' * 32} {world.at('18:30').timestamp():.0f} 60")


@mail(NoticeKind.BOOKED_FOR)
def class_that_the_teacher_booked(world):
    virtual_class = world.book()
    HoldFactory(purchase=virtual_class.purchase, expires_at=NOW + timedelta(days=2))
    return to(world.host, virtual_class)


@mail(NoticeKind.STUDENT_MOVED)
def class_that_its_student_moved(world):
    virtual_class = world.schedule()
    move(virtual_class, world.at("09:00"))
    return to(world.teacher, virtual_class)


@mail(NoticeKind.REMINDER_HOUR)
def hour_s_reminder_for_the_host(world):
    return to(world.host, world.schedule())


@mail(NoticeKind.PLACE_OFFERED)
def offered_place(world):
    virtual_class = world.schedule()
    WaitingListEntry.objects.create(
        virtual_class=virtual_class,
        user=world.guest,
        state=WaitingState.OFFERED,
        offered_at=NOW,
        offer_expires_at=NOW + timedelta(hours=2),
    )
    return to(world.guest, virtual_class)


@mail(NoticeKind.MESSAGE)
def words_of_the_teacher(world):
    """The words stay in the language in which she wrote them."""
    return to(world.host, world.schedule(), write_message(world).occasion)


@mail(NoticeKind.MONEY_BACK)
def money_sent_back(world):
    payment = make_payment(world, charge=ChargeStatus.APPROVED, approved_at=NOW)
    give_back(payment, RefundReason.SLOT_LOST, RefundStatus.REQUESTED)
    return to(world.teacher, payment.purchase.virtual_class)


for reason in RefundReason:

    @mail(NoticeKind.MONEY_RETURNED, f"money_returned_{reason}")
    def money_returned(world, reason=reason):
        is_unbooked = reason == RefundReason.NEVER_BOOKED
        purchase = store_unbooked(world) if is_unbooked else None
        payment = make_payment(world, purchase, charge=ChargeStatus.APPROVED)
        refund = give_back(payment, reason, RefundStatus.DONE)
        return to(world.host, payment.purchase.virtual_class, refund.occasion)


@mail(NoticeKind.TRANSFER_ANNOUNCED)
@mail(NoticeKind.TRANSFER_REFUSED, "transfer_that_did_not_come")
def transfer_announced(world):
    transfer = announce(world)
    return to(world.teacher, transfer.purchase.virtual_class, transfer.occasion)


@mail(NoticeKind.HOLDS_LAPSE)
def unpaid_bookings_that_lapse(world):
    return to(world.teacher, occasion=f"2026-11-23 {world.guest.pk.hex}")


@mail(NoticeKind.TRANSFER_OVER)
def time_over_for_a_transfer(world):
    return to(world.host, world.book())


@mail(NoticeKind.SEAT_TRANSFER_OVER)
def time_over_for_a_seats_transfer(world):
    seat = hold(world)
    return to(seat.person, seat.virtual_class, str(seat.pk))


@mail(NoticeKind.SEAT_LEFT)
def seat_that_was_left(world):
    seat = hold(world)
    return to(world.teacher, seat.virtual_class, f"{seat.person_id.hex} 1")


@mail(NoticeKind.SEAT_SOLD)
def sold_seat(world):
    seat = hold(world)
    return to(world.teacher, seat.virtual_class, str(seat.pk))


@mail(NoticeKind.DAILY_BOOKINGS)
def bookings_of_a_day(world):
    seat = hold(world)
    gathered = [
        (NoticeKind.NEW_BOOKING, world.book(), ""),
        (NoticeKind.SEAT_SOLD, seat.virtual_class, str(seat.pk)),
    ]
    for kind, virtual_class, occasion in gathered:
        gather_for_day(kind, virtual_class, world.teacher.pk, occasion, NOW)
    return to(world.teacher, occasion=NOW.isoformat())


@mail(NoticeKind.REFUND_FAILED)
def money_that_could_not_go_back(world):
    payment = make_payment(world, charge=ChargeStatus.APPROVED, approved_at=NOW)
    refund = give_back(payment, RefundReason.CANCELLED, RefundStatus.FAILED)
    return to(world.host, payment.purchase.virtual_class, refund.occasion)


for drift in DRIFTS:

    @mail(NoticeKind.CALENDAR_CHANGED, f"calendar_that_differs_{drift}")
    def calendar_that_differs(world, drift=drift):
        return to(world.teacher, world.schedule(), occasion=f"{drift} 1")


@mail(NoticeKind.GRANT_REVOKED)
def revoked_grant(world):
    return to(world.teacher)


@mail(NoticeKind.IDENTITY_ADDED)
@mail(NoticeKind.IDENTITY_REMOVED, "identity_disconnected")
def identity_connected(world):
    return to(world.host, occasion="github 1")


for plain in set(NoticeKind) - {mail.kind for mail in MAILS.values()}:

    @mail(plain, plain)
    def plain_mail(world):
        return to(world.host, world.schedule())
