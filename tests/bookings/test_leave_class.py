"""domain/classes/cancelling.py, leave_class: one guest leaves, and everybody else stays."""

from datetime import timedelta

import pytest
import time_machine

from bookings.domain.classes.cancelling import cancel_class, leave_class
from bookings.domain.exceptions import (
    BookingError,
    ClassCancelledError,
    ClassCompletedError,
    ClassNotFoundError,
    TooManyAttemptsError,
)
from bookings.domain.places.joining import join_class
from bookings.models import ClassStatus, Notice, NoticeKind, UserActivity, VirtualClass
from bookings.notices.due import plan_missing_reminders
from tests.factories import UserFactory, VirtualClassFactory

KEPT = ["status", "access_code", "start_time", "html_link", "provider_event_id"]


@pytest.fixture
def joined(host, student, stranger):
    virtual_class = VirtualClassFactory(
        scheduled=True, booked_by=host, max_participants=3, access_code="ABCD2345"
    )
    for guest in (student, stranger):
        virtual_class = join_class(user=guest, access_code="ABCD2345")
    return virtual_class


def test_one_guest_leaves_and_nobody_else(joined, host, student, stranger):
    left = leave_class(class_id=joined.pk, user=student)

    assert left.current_participants == 2
    assert left.participants_ids == [str(host.pk), str(stranger.pk)]
    assert set(UserActivity.objects.values_list("user", flat=True)) == {host.pk, stranger.pk}
    assert [getattr(left, name) for name in KEPT] == [getattr(joined, name) for name in KEPT]


def test_the_mail_of_leaving_outranks_that_of_joining(joined, student):
    """Calendars ignore a cancellation of the revision they know."""
    left = leave_class(class_id=joined.pk, user=student)

    assert left.ics_sequence == joined.ics_sequence + 1
    left.refresh_from_db()
    assert left.ics_sequence == joined.ics_sequence + 1


def test_leaving_again_and_again_is_slowed_down(joined, student, settings):
    settings.MAX_CHANGES = 2
    for _ in range(2):
        leave_class(class_id=joined.pk, user=student)
        join_class(user=student, access_code="ABCD2345")

    with pytest.raises(TooManyAttemptsError):
        leave_class(class_id=joined.pk, user=student)

    assert UserActivity.objects.filter(user=student).exists()


def test_whoever_leaves_is_told_and_reminded_no_more(joined, student, stranger):
    with time_machine.travel(joined.start_time - timedelta(minutes=90)):
        plan_missing_reminders()
        leave_class(class_id=joined.pk, user=student)

    told = Notice.objects.filter(kind=NoticeKind.LEFT)
    reminded = Notice.objects.filter(kind__startswith="reminder").values_list("user", flat=True)
    assert list(told.values_list("user", flat=True)) == [student.pk]
    assert Notice.objects.get(kind=NoticeKind.GUEST_LEFT).user == joined.booked_by
    assert set(reminded) == {joined.booked_by_id, stranger.pk}


def test_the_host_cancels_instead(joined, host):
    with pytest.raises(BookingError, match="podés cancelarla"):
        leave_class(class_id=joined.pk, user=host)

    assert UserActivity.objects.count() == 3


@pytest.mark.parametrize("status", [ClassStatus.CANCELLED, ClassStatus.COMPLETED])
def test_somebody_else_learns_nothing_of_a_class(joined, status):
    VirtualClass.objects.update(status=status)

    with pytest.raises(ClassNotFoundError):
        leave_class(class_id=joined.pk, user=UserFactory())


def test_nobody_leaves_a_class_that_has_begun(joined, student):
    with (
        time_machine.travel(joined.start_time, tick=False),
        pytest.raises(BookingError, match="ya empezó"),
    ):
        leave_class(class_id=joined.pk, user=student)

    assert UserActivity.objects.filter(user=student).exists()


def test_a_cancelled_class_is_not_left(joined, student, teacher):
    cancel_class(class_id=joined.pk, actor=teacher)

    with pytest.raises(ClassCancelledError):
        leave_class(class_id=joined.pk, user=student)


def test_a_completed_class_is_not_left(joined, student):
    VirtualClass.objects.update(status=ClassStatus.COMPLETED)

    with pytest.raises(ClassCompletedError):
        leave_class(class_id=joined.pk, user=student)
