"""Who may move a class, and until when."""

from datetime import timedelta

import pytest
import time_machine

from bookings.domain.exceptions import (
    BookingError,
    NotHostError,
    TooLateToChangeError,
)
from bookings.domain.places.joining import join_class
from bookings.models import ClassStatus, Notice, NoticeKind, VirtualClass
from tests.bookings.rescheduling.steps import at, move


@pytest.mark.parametrize(("minutes_left", "is_refused"), [(1440, True), (1441, False)])
def test_a_student_may_until_the_cut_off(scheduled, host, minutes_left, is_refused):
    with time_machine.travel(at("10:00") - timedelta(minutes=minutes_left), tick=False):
        if is_refused:
            with pytest.raises(TooLateToChangeError):
                move(scheduled, host, "11:00")
        else:
            assert move(scheduled, host, "11:00").start_time == at("11:00")


def test_the_teacher_may_move_it_while_it_goes_on(scheduled, teacher):
    with time_machine.travel(at("10:30"), tick=False):
        assert move(scheduled, teacher, "20:00").start_time == at("20:00")


@pytest.mark.parametrize("who", ["student", "stranger"])
def test_nobody_else_may(scheduled, request, who):
    person = request.getfixturevalue(who)
    if who == "student":
        join_class(user=person, access_code=scheduled.access_code)

    with pytest.raises(NotHostError):
        move(scheduled, person, "11:00")


def test_an_assistant_without_the_right_may_not(scheduled, stranger):
    stranger.is_staff = True
    stranger.save()

    with pytest.raises(NotHostError):
        move(scheduled, stranger, "11:00")


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (ClassStatus.PENDING, "todavía no está confirmada"),
        (ClassStatus.CANCELLED, "fue cancelada"),
        (ClassStatus.COMPLETED, "ya se dio"),
    ],
)
@pytest.mark.parametrize("who", ["host", "teacher"])
def test_only_a_scheduled_class_moves(scheduled, request, who, status, error):
    VirtualClass.objects.update(status=status)

    with pytest.raises(BookingError, match=error):
        move(scheduled, request.getfixturevalue(who), "11:00")

    assert VirtualClass.objects.get().start_time == at("10:00")
    assert not Notice.objects.filter(kind=NoticeKind.RESCHEDULED).exists()
