"""Erasing: a person leaves, and takes along what is only theirs."""

import logging
from dataclasses import replace

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from accounts.models import User
from accounts.personal_data import erase_account
from bookings.domain.dry_runs import Consequences, foresee
from bookings.domain.exceptions import ClassesAheadError, TeacherAccountError
from bookings.domain.lifecycle.cancelling import cancel_class, decide_cancelling
from bookings.domain.places.offers import list_open_entries
from bookings.domain.places.waiting_list import leave_every_line
from bookings.models import ClassLog, ClassStatus, UserActivity, VirtualClass
from bookings.webhooks.events import announce_events
from calendar_sync import CalendarError

logger = logging.getLogger(__name__)


def erase_person(*, user: User, by: User) -> None:
    """Erase a person: their profile, identities, sessions, mails, and what they booked in vain.

    Payments, and classes that were paid or that took place, stay without a name: the teacher's
    books, and other people's classes. Classes that were never paid are cancelled. by: the person
    themselves, or the teacher at their request. Doing it again changes nothing.
    Raises, without writing: TeacherAccountError, ClassesAheadError, and ClassNotFoundError when
    there is a class to cancel that is not ``by``'s to cancel.
    """
    for virtual_class in list_classes_to_cancel(user):
        _call_off(virtual_class, by)
    leave_every_line(user=user)
    with transaction.atomic():
        # What is cancelled above goes with its log, and what was told to nobody yet with that.
        booked = VirtualClass.objects.filter(booked_by=user)
        announce_events(ClassLog.objects.filter(virtual_class__in=booked))
        _forget_bookings(user)
        erase_account(user=user)
    logger.info("Account %s was erased.", user.pk)


def list_classes_to_cancel(user: User) -> list[VirtualClass]:
    """List the unpaid classes that are cancelled when the person is erased.

    Raises TeacherAccountError, and ClassesAheadError for classes that take place or are paid.
    """
    if user.is_staff:
        raise TeacherAccountError
    ahead = _classes_ahead(user)
    if any(_is_settled(virtual_class) for virtual_class in ahead):
        raise ClassesAheadError
    return ahead


def foresee_erasing(*, user: User, by: User) -> Consequences[list[VirtualClass]]:
    """Find out what erasing a person would write about classes, and which it would cancel.

    Mails to the person are left out: they are deleted with the account. Raises as
    ``erase_person``.
    """
    ahead = list_classes_to_cancel(user)
    lines = list_open_entries(user).values_list("virtual_class", flat=True)

    def decide() -> list[VirtualClass]:
        for virtual_class in ahead:
            decide_cancelling(virtual_class.pk, by)
        leave_every_line(user=user)
        return ahead

    seen = foresee(decide, [*lines, *(one.pk for one in ahead)])
    return replace(seen, mails=[mail for mail in seen.mails if mail.user_id != user.pk])


def _classes_ahead(user: User) -> list[VirtualClass]:
    """List what is not over yet, booked or joined."""
    ahead = VirtualClass.objects.filter(
        end_time__gt=timezone.now(), status__in=[ClassStatus.PENDING, ClassStatus.SCHEDULED]
    )
    takes_part = UserActivity.objects.filter(virtual_class=OuterRef("pk"), user=user)
    return list(ahead.filter(Q(booked_by=user) | Exists(takes_part)))


def _is_settled(virtual_class: VirtualClass) -> bool:
    """Whether the class takes place, or its money is here."""
    is_paid = virtual_class.paid_at is not None
    return virtual_class.is_scheduled or virtual_class.is_being_scheduled or is_paid


def _call_off(virtual_class: VirtualClass, by: User) -> None:
    """Cancel a class nobody paid. Money that arrives all the same goes back by itself."""
    try:
        cancel_class(class_id=virtual_class.pk, actor=by)
    except CalendarError:
        # It is cancelled; the sweep takes its event away.
        logger.warning("The event of class %s stays for the sweep.", virtual_class.pk)


def _forget_bookings(user: User) -> None:
    user.holds.all().delete()
    user.waiting_list_entries.all().delete()
    user.notices.all().delete()
    booked = VirtualClass.objects.filter(booked_by=user)
    _came_to_nothing(booked, user).delete()
    # What somebody typed may say who they are.
    booked.update(learning_focus="")
    ClassLog.objects.filter(actor=user).update(reason="")


def _came_to_nothing(booked: QuerySet[VirtualClass], user: User) -> QuerySet[VirtualClass]:
    """Choose the classes that nobody paid, that never took place, and that are nobody else's.

    One whose event still has to leave the calendar stays: its row is what remembers that.
    """
    others = UserActivity.objects.filter(virtual_class=OuterRef("pk")).exclude(user=user)
    return booked.filter(
        ~Exists(others),
        status__in=[ClassStatus.PENDING, ClassStatus.CANCELLED],
        paid_at=None,
        payment=None,
        withdrawal_requested_at=None,
    )
