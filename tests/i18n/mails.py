"""Every mail in each of its states: a function that brings a world into it and gives the notice."""

from collections.abc import Callable
from datetime import datetime, timedelta

from accounts.models import User
from bookings.domain.history import record_event
from bookings.domain.places.joining import join_class
from bookings.models import (
    ChargeStatus,
    ClassEvent,
    ClassStatus,
    Notice,
    NoticeKind,
    PaymentStatus,
    PriceDecision,
    RefundReason,
    RefundStatus,
    VirtualClass,
    WaitingListEntry,
    WaitingState,
)
from bookings.notices.returned_money import name_refund
from bookings.notices.texts import DRIFTS
from tests.i18n.states import CODE, NOW, World, make_payment
from tests.i18n.states.payments import give_back

MAILS: dict[str, Callable[[World], Notice]] = {}


def mail(show: Callable[[World], Notice]) -> Callable[[World], Notice]:
    """Add a mail to the list, under its function's name."""
    MAILS[show.__name__] = show
    return show


def to(
    user: User, kind: NoticeKind, virtual_class: VirtualClass | None = None, occasion: str = ""
) -> Notice:
    """Give a mail that is not stored."""
    return Notice(user=user, kind=kind, virtual_class=virtual_class, occasion=occasion)


def move(virtual_class: VirtualClass, earlier: datetime) -> None:
    """Let a class have been at another time."""
    details = {"from": earlier.isoformat(), "to": virtual_class.start_time.isoformat()}
    record_event(virtual_class, ClassEvent.RESCHEDULED, details=details)


@mail
def confirmation(world):
    return to(world.host, NoticeKind.CONFIRMATION, world.schedule())


@mail
def confirmation_of_a_class_for_one(world):
    return to(world.host, NoticeKind.CONFIRMATION, world.schedule(max_participants=1))


@mail
def place_in_a_class(world):
    virtual_class = world.schedule()
    join_class(user=world.guest, access_code=CODE)
    return to(world.guest, NoticeKind.JOINED, virtual_class)


@mail
def moved_class_for_its_host(world):
    virtual_class = world.schedule()
    move(virtual_class, world.at("18:30"))
    return to(world.host, NoticeKind.RESCHEDULED, virtual_class)


@mail
def moved_class_for_a_guest(world):
    virtual_class = world.schedule()
    move(virtual_class, world.at("18:30", days=3))
    return to(world.guest, NoticeKind.RESCHEDULED, virtual_class)


@mail
def class_that_keeps_its_hour_under_a_new_law(world):
    return to(world.host, NoticeKind.ZONE_CHANGED, world.schedule())


@mail
def moved_class_for_who_waits(world):
    virtual_class = world.schedule()
    move(virtual_class, world.at("18:30", days=3))
    WaitingListEntry.objects.create(virtual_class=virtual_class, user=world.guest)
    return to(world.guest, NoticeKind.WAITING_CLASS_MOVED, virtual_class)


@mail
def new_link(world):
    return to(world.guest, NoticeKind.LINK_CHANGED, world.schedule())


@mail
def cancelled_class(world):
    virtual_class = world.schedule()
    virtual_class.status = ClassStatus.CANCELLED
    return to(world.guest, NoticeKind.CANCELLED, virtual_class)


@mail
def cancelled_class_whose_money_comes_back(world):
    payment = make_payment(world, charge=ChargeStatus.APPROVED, approved_at=NOW)
    give_back(payment, RefundReason.CANCELLED, RefundStatus.REQUESTED)
    return to(world.host, NoticeKind.CANCELLED, payment.virtual_class)


@mail
def time_that_a_paid_class_took(world):
    occasion = f"{'0' * 32} {world.at('18:30').timestamp():.0f} 60"
    return to(world.host, NoticeKind.HOLD_LOST, occasion=occasion)


@mail
def class_that_the_price_list_lacks(world):
    virtual_class = world.book(price_decision=PriceDecision.WAITING)
    return to(world.teacher, NoticeKind.PRICE_TO_DECIDE, virtual_class)


@mail
def place_left(world):
    return to(world.guest, NoticeKind.LEFT, world.schedule())


@mail
def place_that_a_guest_left(world):
    return to(world.host, NoticeKind.GUEST_LEFT, world.schedule())


@mail
def class_that_its_student_moved(world):
    virtual_class = world.schedule()
    move(virtual_class, world.at("09:00"))
    return to(world.teacher, NoticeKind.STUDENT_MOVED, virtual_class)


@mail
def class_that_its_student_cancelled(world):
    return to(world.teacher, NoticeKind.STUDENT_CANCELLED, world.schedule())


@mail
def day_s_reminder_for_the_host(world):
    return to(world.host, NoticeKind.REMINDER_DAY, world.schedule())


@mail
def hour_s_reminder_for_the_host(world):
    return to(world.host, NoticeKind.REMINDER_HOUR, world.schedule())


@mail
def hour_s_reminder_for_a_guest(world):
    return to(world.guest, NoticeKind.REMINDER_HOUR, world.schedule())


@mail
def offered_place(world):
    virtual_class = world.schedule()
    WaitingListEntry.objects.create(
        virtual_class=virtual_class,
        user=world.guest,
        state=WaitingState.OFFERED,
        offered_at=NOW,
        offer_expires_at=NOW + timedelta(hours=2),
    )
    return to(world.guest, NoticeKind.PLACE_OFFERED, virtual_class)


@mail
def payment_to_review(world):
    return to(world.teacher, NoticeKind.TO_REVIEW, world.book())


@mail
def money_sent_back(world):
    payment = make_payment(world, charge=ChargeStatus.APPROVED, approved_at=NOW)
    give_back(payment, RefundReason.SLOT_LOST, RefundStatus.REQUESTED)
    return to(world.teacher, NoticeKind.MONEY_BACK, payment.virtual_class)


@mail
def money_taken_back_by_the_bank(world):
    payment = make_payment(
        world, status=PaymentStatus.CHARGED_BACK, charge=ChargeStatus.CHARGED_BACK
    )
    return to(world.teacher, NoticeKind.MONEY_BACK, payment.virtual_class)


for reason in RefundReason:
    MAILS[f"money_returned_{reason}"] = lambda world, reason=reason: to_who_paid(world, reason)


def to_who_paid(world: World, reason: RefundReason) -> Notice:
    """Give the mail about money that went back for a reason."""
    is_unbooked = reason == RefundReason.NEVER_BOOKED
    place = {"virtual_class": None} if is_unbooked else {}
    payment = make_payment(world, charge=ChargeStatus.APPROVED, **place)
    refund = give_back(payment, reason, RefundStatus.DONE)
    occasion = name_refund(refund)
    return to(world.host, NoticeKind.MONEY_RETURNED, payment.virtual_class, occasion)


@mail
def money_that_could_not_go_back(world):
    payment = make_payment(world, charge=ChargeStatus.APPROVED, approved_at=NOW)
    refund = give_back(payment, RefundReason.CANCELLED, RefundStatus.FAILED)
    return to(world.host, NoticeKind.REFUND_FAILED, payment.virtual_class, name_refund(refund))


@mail
def payment_without_a_class_to_review(world):
    return to(world.teacher, NoticeKind.UNBOOKED_TO_REVIEW)


for drift in DRIFTS:
    MAILS[f"calendar_that_differs_{drift}"] = lambda world, drift=drift: to(
        world.teacher, NoticeKind.CALENDAR_CHANGED, world.schedule(), occasion=f"{drift} 1"
    )


@mail
def revoked_grant(world):
    return to(world.teacher, NoticeKind.GRANT_REVOKED)


@mail
def revoked_grant_that_people_wait_for(world):
    world.book(scheduling_requested_at=NOW, paid_at=NOW)
    return to(world.teacher, NoticeKind.GRANT_REVOKED)


@mail
def refused_service_account(world):
    return to(world.teacher, NoticeKind.ACCOUNT_REFUSED)


@mail
def grant_at_risk(world):
    return to(world.teacher, NoticeKind.GRANT_AT_RISK)


@mail
def guessing(world):
    return to(world.teacher, NoticeKind.GUESSING)


@mail
def webhook_switched_off(world):
    return to(world.teacher, NoticeKind.WEBHOOK_DISABLED)


@mail
def identity_connected(world):
    return to(world.host, NoticeKind.IDENTITY_ADDED, occasion="github 1")


@mail
def identity_disconnected(world):
    return to(world.host, NoticeKind.IDENTITY_REMOVED, occasion="github 1")
