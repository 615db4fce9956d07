"""domain/places/joining.py, participants.py: the documented checks, in their order."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.db import IntegrityError
from django.utils import timezone

from bookings.domain.exceptions import (
    AlreadyJoinedError,
    ClassEndedError,
    ClassFullError,
    ClassNotFoundError,
    OwnClassError,
)
from bookings.domain.places.joining import generate_access_code, join_class, normalize_access_code
from bookings.models import ClassStatus, Role, UserActivity, VirtualClass
from tests.factories import VirtualClassFactory

pytestmark = pytest.mark.django_db


def test_generate_access_code_draws_what_nobody_mistakes():
    codes = {generate_access_code() for _ in range(500)}

    assert len(codes) == 500
    assert all(re.fullmatch(r"[2-9A-HJ-NP-Z]{8}", code) for code in codes)


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("ABCD2345", "ABCD2345"),
        (" abcd-2345\n", "ABCD2345"),
        ("0O1IABCD", "0O1IABCD"),
        ("ABCD234", None),
        ("ABCD 2345 6", None),
        ("ÁBCD2345", None),
        ("", None),
    ],
)
def test_normalize_access_code_reads_what_people_type(typed, code):
    assert normalize_access_code(typed) == code


@pytest.fixture
def virtual_class(host):
    return VirtualClassFactory(scheduled=True, booked_by=host, access_code="ABCD2345")


def test_join_class_takes_a_place(virtual_class, student):
    joined = join_class(user=student, access_code="ABCD2345")

    virtual_class.refresh_from_db()
    activity = UserActivity.objects.get(user=student)
    assert joined.current_participants == 2
    assert virtual_class.current_participants == 2
    assert virtual_class.participants_ids == [str(virtual_class.booked_by_id), str(student.pk)]
    assert (activity.virtual_class, activity.rol) == (virtual_class, Role.PARTICIPANT)
    assert (activity.completed, activity.task_id) == (False, None)


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "ABCD234",
        "ABCD23456",
        "ZZZZ9999",
        "ＡＢＣＤ２３４５",
        "А" * 8,
        "%%%%%%%%",
        "________",
        "ÁBCD2345",
    ],
)
def test_join_class_does_not_know_other_codes(virtual_class, student, typed):
    with pytest.raises(ClassNotFoundError):
        join_class(user=student, access_code=typed)


@pytest.mark.parametrize("status", [ClassStatus.PENDING, ClassStatus.CANCELLED])
def test_join_class_opens_scheduled_classes_only(virtual_class, student, status):
    virtual_class.status = status
    virtual_class.save()

    with pytest.raises(ClassNotFoundError):
        join_class(user=student, access_code="ABCD2345")


def join_twice(virtual_class, student):
    join_class(user=student, access_code=virtual_class.access_code)


def fill(virtual_class, student):
    virtual_class.max_participants = virtual_class.current_participants
    virtual_class.save()


def end(virtual_class, student):
    virtual_class.start_time -= timedelta(days=3)
    virtual_class.end_time -= timedelta(days=3)
    virtual_class.save()


@pytest.mark.parametrize(
    ("reasons", "refusal"),
    [
        ([join_twice], AlreadyJoinedError),
        ([fill], ClassFullError),
        ([end], ClassEndedError),
        ([join_twice, fill], ClassFullError),
        ([join_twice, end], ClassEndedError),
        ([join_twice, fill, end], ClassEndedError),
    ],
    ids=["joined", "full", "ended", "joined+full", "joined+ended", "joined+full+ended"],
)
def test_join_class_gives_the_first_reason_in_order(virtual_class, student, reasons, refusal):
    for reason in reasons:
        virtual_class.refresh_from_db()
        reason(virtual_class, student)
    virtual_class.refresh_from_db()
    before = (virtual_class.current_participants, virtual_class.participants_ids)

    with pytest.raises(refusal):
        join_class(user=student, access_code="ABCD2345")

    virtual_class.refresh_from_db()
    assert (virtual_class.current_participants, virtual_class.participants_ids) == before


def test_join_class_refuses_the_host_before_anything_else(virtual_class, host):
    fill(virtual_class, host)
    end(virtual_class, host)

    with pytest.raises(OwnClassError):
        join_class(user=host, access_code="ABCD2345")


@pytest.mark.parametrize(("offset", "is_open"), [(-1, True), (0, False), (1, False)])
def test_join_class_closes_with_the_last_instant(virtual_class, student, offset, is_open):
    moment = virtual_class.end_time + timedelta(milliseconds=offset)

    with time_machine.travel(moment, tick=False):
        if is_open:
            join_class(user=student, access_code="ABCD2345")
        else:
            with pytest.raises(ClassEndedError):
                join_class(user=student, access_code="ABCD2345")


@pytest.mark.parametrize("capacity", [0, 1])
def test_join_class_has_no_place_in_a_class_for_one(host, student, capacity):
    VirtualClassFactory(
        scheduled=True, booked_by=host, max_participants=capacity, access_code="ABCD2345"
    )

    with pytest.raises(ClassFullError):
        join_class(user=student, access_code="ABCD2345")


def test_join_class_calls_a_completed_class_ended(virtual_class, student):
    virtual_class.status = ClassStatus.COMPLETED
    virtual_class.save()

    with pytest.raises(ClassEndedError):
        join_class(user=student, access_code="ABCD2345")


def test_join_class_lets_a_guesser_in_again_after_a_while(virtual_class, student, settings):
    settings.MAX_WRONG_CODES = 1
    with pytest.raises(ClassNotFoundError):
        join_class(user=student, access_code="WRONG222")

    with time_machine.travel(timezone.now() + timedelta(minutes=10), tick=False):
        joined = join_class(user=student, access_code="ABCD2345")

    assert joined.current_participants == 2


CODE = "ABCD2345"


@pytest.fixture
def uncounted(host, student):
    """A class whose counter and list miss the student, who has a row."""
    uncounted = VirtualClassFactory(scheduled=True, booked_by=host, access_code=CODE)
    UserActivity.objects.create(user=student, virtual_class=uncounted, rol=Role.PARTICIPANT)
    return uncounted


def test_the_constraint_refuses_a_row_too_many(uncounted, stranger):
    VirtualClass.objects.update(max_participants=2)

    with pytest.raises(IntegrityError, match="participants_within_capacity"):
        join_class(user=stranger, access_code=CODE)

    assert UserActivity.objects.filter(user=stranger).count() == 0
