"""A freed place is offered to one at a time, and kept for a while."""

from datetime import timedelta

import pytest

from bookings.domain.exceptions import ClassFullError, PlaceOfferedError
from bookings.domain.places.joining import join_class
from bookings.models import ClassLog, Notice, VirtualClass
from tests.bookings.waiting_list.steps import CODE, NOW, WINDOW, free_place, state_of
from tests.factories import UserFactory


def test_a_freed_place_is_offered_to_the_first_in_line(entry, second, virtual_class, student):
    offer = free_place(virtual_class)

    assert (offer, state_of(second)) == (entry, "waiting")
    assert (offer.state, offer.offer_expires_at - offer.offered_at) == ("offered", WINDOW)
    [notice] = Notice.objects.filter(kind="place_offered")
    assert (notice.user, notice.occasion) == (student, offer.offered_at.isoformat())
    details = {"person": str(student.pk), "until": offer.offer_expires_at.isoformat()}
    assert ClassLog.objects.get(event="offered").details == details


def test_one_place_is_offered_at_a_time(entry, second, virtual_class):
    free_place(virtual_class, 2)

    assert (free_place(virtual_class), state_of(second)) == (None, "waiting")


@pytest.mark.parametrize(
    ("left", "window"),
    [
        (timedelta(days=3), WINDOW),
        (timedelta(hours=24), WINDOW),
        (timedelta(hours=10), timedelta(hours=5)),
        (timedelta(minutes=61), timedelta(minutes=30, seconds=30)),
        (timedelta(minutes=60), None),
        (timedelta(minutes=-5), None),
    ],
)
def test_the_window_is_shorter_near_the_start(entry, virtual_class, left, window):
    VirtualClass.objects.update(start_time=NOW + left, end_time=NOW + left + timedelta(hours=1))

    offer = free_place(virtual_class)

    assert (offer and offer.offer_expires_at - NOW) == window


def test_nobody_is_offered_a_place_who_has_one_or_may_not_come(
    entry, second, virtual_class, student
):
    student.status = "suspended"
    student.save()

    assert free_place(virtual_class) == second


def test_an_offered_place_is_nobody_else_s(entry, virtual_class, stranger, student):
    free_place(virtual_class)

    with pytest.raises(PlaceOfferedError):
        join_class(user=stranger, access_code=CODE)
    joined = join_class(user=student, access_code=CODE)

    assert (joined.current_participants, state_of(entry)) == (3, "claimed")


def test_another_free_place_is_for_whoever_has_the_code(entry, virtual_class, stranger):
    free_place(virtual_class, 2)

    assert join_class(user=stranger, access_code=CODE).current_participants == 3
    with pytest.raises(ClassFullError):
        join_class(user=UserFactory(), access_code=CODE)


def test_an_offer_that_is_over_keeps_nobody_out_even_if_nobody_sweeps(
    entry, virtual_class, stranger, time_machine
):
    expiry = free_place(virtual_class).offer_expires_at

    time_machine.move_to(expiry - timedelta(milliseconds=1), tick=False)
    with pytest.raises(ClassFullError):
        join_class(user=stranger, access_code=CODE)
    time_machine.move_to(expiry, tick=False)
    assert join_class(user=stranger, access_code=CODE).current_participants == 3


@pytest.mark.parametrize(("free", "statements"), [(2, 13), (1, 14)])
def test_only_the_last_place_costs_joining_a_look_at_the_offers(
    virtual_class, student, django_assert_num_queries, free, statements
):
    virtual_class.max_participants += free
    virtual_class.save()

    with django_assert_num_queries(statements):
        join_class(user=student, access_code=CODE)
