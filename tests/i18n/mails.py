"""Every mail in each of its states: a function that brings a world into it and gives the notice."""

from collections.abc import Callable
from datetime import datetime, timedelta

from accounts.models import User
from bookings.domain.class_log import log_event
from bookings.domain.joining import join_class
from bookings.models import (
    ClassEvent,
    ClassStatus,
    Notice,
    NoticeKind,
    PaymentStatus,
    VirtualClass,
    WaitingListEntry,
    WaitingState,
)
from bookings.notices.texts import DRIFTS
from tests.i18n.states import CODE, NOW, World, make_payment

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
    log_event(virtual_class, ClassEvent.RESCHEDULED, details=details)


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
    payment = make_payment(world, status=PaymentStatus.REFUNDED, approved_at=NOW)
    return to(world.host, NoticeKind.CANCELLED, payment.virtual_class)


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
    return to(world.teacher, NoticeKind.MONEY_BACK, world.book())


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
