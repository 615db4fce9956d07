"""Who may wait for a place, and where they stand."""

from datetime import timedelta

import pytest

from bookings.domain.exceptions import (
    AlreadyJoinedError,
    BookingError,
    ClassNotFoundError,
    OwnClassError,
    TooManyAttemptsError,
)
from bookings.domain.places.waiting_list import leave_line, wait_again, wait_for_place
from bookings.models import ClassStatus, WaitingListEntry
from tests.bookings.waiting_list.steps import CODE, NOW, free_place


def test_wait_for_place_puts_a_person_at_the_end_of_the_line(entry, second, virtual_class, student):
    line = list(virtual_class.waiting_list.all())

    assert line == [entry, second]
    assert (entry.user, entry.state, entry.created_at) == (student, "waiting", NOW)


def test_wait_for_place_keeps_the_turn_of_whoever_is_in_line(entry, second, student):
    again = wait_for_place(user=student, access_code="abcd-2345")

    assert (again, again.created_at) == (entry, NOW)


def test_wait_for_place_offers_a_place_that_is_free_by_now(virtual_class, student):
    free_place(virtual_class)

    assert wait_for_place(user=student, access_code=CODE).state == "offered"


def cancel(virtual_class):
    virtual_class.status = ClassStatus.CANCELLED


def complete(virtual_class):
    virtual_class.status = ClassStatus.COMPLETED


def begin_soon(virtual_class):
    virtual_class.start_time = NOW + timedelta(minutes=60)


def make_individual(virtual_class):
    virtual_class.class_type = "individual"


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        (cancel, "No encontramos"),
        (complete, "no tiene lista de espera"),
        (begin_soon, "no tiene lista de espera"),
        (make_individual, "no tiene lista de espera"),
    ],
)
def test_nobody_waits_for_a_class_that_has_no_line(virtual_class, student, change, refusal):
    change(virtual_class)
    virtual_class.save()

    with pytest.raises(BookingError, match=refusal):
        wait_for_place(user=student, access_code=CODE)

    assert not WaitingListEntry.objects.exists()


def test_whoever_takes_part_does_not_wait(virtual_class, host):
    guest = virtual_class.activities.get(rol="participante").user

    with pytest.raises(OwnClassError):
        wait_for_place(user=host, access_code=CODE)
    with pytest.raises(AlreadyJoinedError):
        wait_for_place(user=guest, access_code=CODE)


def test_guessing_codes_to_wait_is_slowed_down_as_well(virtual_class, student, settings):
    settings.MAX_WRONG_CODES = 1
    with pytest.raises(ClassNotFoundError):
        wait_for_place(user=student, access_code="WRONG234")

    with pytest.raises(TooManyAttemptsError):
        wait_for_place(user=student, access_code=CODE)


def test_getting_into_line_again_and_again_is_slowed_down(entry, student, settings):
    settings.MAX_WAITS = 3
    for _ in range(2):
        leave_line(user=student, entry_id=entry.pk)
        wait_again(user=student, entry_id=entry.pk)

    with pytest.raises(TooManyAttemptsError):
        wait_again(user=student, entry_id=entry.pk)
    with pytest.raises(TooManyAttemptsError):
        wait_for_place(user=student, access_code=CODE)
