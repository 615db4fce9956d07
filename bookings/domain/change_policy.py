"""Until when and how often classes are booked and changed, by whom, and what comes back then."""

from datetime import datetime, timedelta

from django.conf import settings

from accounts.models import User
from bookings.domain.exceptions import (
    ClassNotFoundError,
    TooLateToChangeError,
    TooManyAttemptsError,
    TooManyBookingsError,
)
from bookings.models import BookingRules, RefundReason, VirtualClass
from config.lib.throttling import is_too_often, seconds_left

WINDOW = timedelta(hours=1)


def is_in_charge(user: User) -> bool:
    """Whether the person steers everybody's classes: the teacher."""
    return user.is_staff and user.has_perm("bookings.change_virtualclass")


def find_change_deadline(start: datetime) -> datetime:
    """Give the instant from which on its student cannot change a class that begins at ``start``."""
    cutoff = timedelta(minutes=BookingRules.load().change_cutoff_minutes)
    return start - cutoff


def is_in_time(virtual_class: VirtualClass, now: datetime) -> bool:
    """Whether the student may still change the class.

    The cut-off protects the time that the teacher keeps for a class. One that is not scheduled, for
    it waits for money or for the calendar, binds nobody yet.
    """
    return not virtual_class.is_scheduled or now < find_change_deadline(virtual_class.start_time)


def refuse_change(virtual_class: VirtualClass, actor: User, now: datetime) -> None:
    """Let the teacher change a class at any time, and whoever booked it until the cut-off.

    Raises ClassNotFoundError for anybody else, TooLateToChangeError.
    """
    if is_in_charge(actor):
        return
    if not virtual_class.is_hosted_by(actor):
        raise ClassNotFoundError
    if not is_in_time(virtual_class, now):
        raise TooLateToChangeError


def check_change_rate(actor: User) -> None:
    """Bound how often a student moves or leaves classes: each time others get a mail.

    To be called outside of transactions. Raises TooManyAttemptsError.
    """
    if is_in_charge(actor):
        return
    if is_too_often("changes", actor.pk, limit=settings.MAX_CHANGES, window=WINDOW):
        raise TooManyAttemptsError(wait_seconds=seconds_left(WINDOW))


def check_booking_rate(user: User) -> None:
    """Count a booking by the API, where no hold bounds how many a person makes.

    To be called outside of transactions. Raises TooManyBookingsError beyond MAX_BOOKINGS an hour.
    """
    if is_too_often("bookings", user.pk, limit=settings.MAX_BOOKINGS, window=WINDOW):
        raise TooManyBookingsError(wait_seconds=seconds_left(WINDOW))


def decide_refund(virtual_class: VirtualClass, actor: User, now: datetime) -> RefundReason | None:
    """Say why the money of a class goes back that somebody cancels; None: it stays.

    The whole refund policy: everything goes back when the teacher cancels, whenever that is, and
    when the student does so in time. A student who is late gets nothing back; today they are not
    let to cancel at all, and have to ask the teacher.
    """
    if is_in_charge(actor) or is_in_time(virtual_class, now):
        return RefundReason.CANCELLED
    return None
