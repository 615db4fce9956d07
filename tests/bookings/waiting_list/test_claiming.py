"""Taking the offered place is joining."""

from datetime import timedelta

import pytest

from bookings.domain.exceptions import (
    AlreadyJoinedError,
    BookingError,
    ClassCancelledError,
    ClassEndedError,
    ClassFullError,
    ClassNotFoundError,
)
from bookings.domain.places.participants import pass_on_offers
from bookings.domain.places.waiting_list import claim_place, leave_line, wait_again
from bookings.models import ClassStatus, Notice, VirtualClass
from tests.bookings.waiting_list.steps import NOW, free_place, people_in, state_of


def test_claim_place_joins(entry, virtual_class, student):
    free_place(virtual_class)

    joined = claim_place(user=student, entry_id=entry.pk)

    assert (joined.current_participants, state_of(entry)) == (3, "claimed")
    assert student.pk in people_in(virtual_class)
    assert Notice.objects.filter(kind="joined", user=student).exists()


def test_claiming_twice_joins_once(entry, virtual_class, student):
    free_place(virtual_class, 2)
    claim_place(user=student, entry_id=entry.pk)

    with pytest.raises(AlreadyJoinedError):
        claim_place(user=student, entry_id=entry.pk)

    virtual_class.refresh_from_db()
    assert virtual_class.current_participants == 3


def test_after_a_claim_the_next_free_place_is_offered(entry, second, virtual_class, student):
    free_place(virtual_class, 2)

    claim_place(user=student, entry_id=entry.pk)

    assert state_of(second) == "offered"


def test_nobody_claims_before_their_turn(entry, second, virtual_class, stranger):
    with pytest.raises(ClassFullError):
        claim_place(user=stranger, entry_id=second.pk)
    free_place(virtual_class)

    with pytest.raises(ClassFullError):
        claim_place(user=stranger, entry_id=second.pk)


def test_whoever_waits_may_take_a_place_that_is_kept_for_nobody(
    entry, second, virtual_class, stranger
):
    free_place(virtual_class, 2)

    claim_place(user=stranger, entry_id=second.pk)

    assert (state_of(entry), state_of(second)) == ("offered", "claimed")


@pytest.mark.parametrize("is_swept", [False, True])
def test_an_offer_ends_with_its_last_instant(entry, virtual_class, student, time_machine, is_swept):
    expiry = free_place(virtual_class).offer_expires_at
    time_machine.move_to(expiry, tick=False)
    if is_swept:
        pass_on_offers()

    with pytest.raises(BookingError, match="Se venció"):
        claim_place(user=student, entry_id=entry.pk)


def test_nobody_claims_a_place_in_a_class_that_is_over(entry, virtual_class, student, time_machine):
    VirtualClass.objects.update(start_time=NOW + timedelta(hours=20))
    free_place(virtual_class)
    VirtualClass.objects.update(start_time=NOW, end_time=NOW + timedelta(minutes=1))
    time_machine.move_to(NOW + timedelta(minutes=1), tick=False)

    with pytest.raises(ClassEndedError):
        claim_place(user=student, entry_id=entry.pk)


def test_a_cancelled_class_has_no_place_to_claim(entry, virtual_class, student):
    free_place(virtual_class)
    VirtualClass.objects.update(status=ClassStatus.CANCELLED)

    with pytest.raises(ClassCancelledError):
        claim_place(user=student, entry_id=entry.pk)


@pytest.mark.parametrize("step", [claim_place, leave_line, wait_again])
def test_somebody_else_s_entry_does_not_exist(entry, virtual_class, stranger, step):
    free_place(virtual_class)

    with pytest.raises(ClassNotFoundError):
        step(user=stranger, entry_id=entry.pk)

    assert state_of(entry) == "offered"
