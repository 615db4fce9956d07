"""Waiting for a place in a full group."""

from datetime import timedelta
from typing import Any

from bookings.domain.classes.changing import change_capacity
from bookings.domain.places.waiting_list import wait_for_place
from bookings.models import ClassStatus, VirtualClass, WaitingListEntry, WaitingState
from tests.factories import UserFactory
from tests.i18n.states.open_classes import hold, publish
from tests.i18n.states.world import CODE, NOW, World, state


def full_group(world: World, days: int = 1) -> VirtualClass:
    """Let the host have a group without a free place."""
    return world.schedule(max_participants=1, start_time=world.at("10:00", days=days))


def wait_in_line(world: World, days: int = 1) -> WaitingListEntry:
    """Put the guest into line for a full group."""
    full_group(world, days)
    return wait_for_place(user=world.guest, access_code=CODE)


def offer_place(world: World, days: int = 1) -> WaitingListEntry:
    """Let a place become free for the guest in line."""
    entry = wait_in_line(world, days)
    change_capacity(class_id=entry.virtual_class_id, capacity=2)
    return entry


def see_line(world: World, entry: WaitingListEntry) -> Any:
    """Open the guest's turn."""
    return world.get("bookings:claim_place", entry.pk, user=world.guest)


@state("bookings:join_with_code")
def joining_while_the_place_is_offered_to_another(world):
    full_group(world)
    entry = wait_for_place(user=UserFactory(), access_code=CODE)
    change_capacity(class_id=entry.virtual_class_id, capacity=2)
    return world.post("bookings:join", access_code=CODE, user=world.guest)


@state("bookings:wait")
def waiting_for_a_class_that_has_no_line(world):
    world.schedule(max_participants=1, start_time=NOW + timedelta(minutes=30))
    return world.post("bookings:wait", access_code=CODE, user=world.guest)


@state("bookings:claim_place")
def joining_a_full_class_while_in_line(world):
    wait_in_line(world)
    return world.post("bookings:join", access_code=CODE, user=world.guest)


@state("bookings:claim_place")
def waiting_behind_one(world):
    full_group(world)
    wait_for_place(user=world.teacher, access_code=CODE)
    WaitingListEntry.objects.update(created_at=NOW - timedelta(hours=1))
    return world.post("bookings:wait", access_code=CODE, user=world.guest)


@state("bookings:claim_place")
def waiting_behind_many(world):
    entry = wait_in_line(world)
    for number in range(2):
        other = UserFactory(name=f"Dora {number}")
        wait_for_place(user=other, access_code=CODE)
    others = WaitingListEntry.objects.exclude(pk=entry.pk)
    others.update(created_at=NOW - timedelta(hours=1))
    return see_line(world, entry)


@state("bookings:claim_place")
def an_offered_place(world):
    return see_line(world, offer_place(world, days=3))


@state("bookings:claim_place")
def a_place_for_whoever_takes_it(world):
    entry = wait_in_line(world)
    VirtualClass.objects.update(max_participants=2)
    return see_line(world, entry)


@state("bookings:claim_place")
def claiming_too_late(world):
    entry = offer_place(world)
    WaitingListEntry.objects.update(offer_expires_at=NOW)
    return world.post("bookings:claim_place", entry.pk, user=world.guest)


def let_lapse(world: World, days: int) -> Any:
    """Let the guest's offer of a place of an open class have ended unpaid."""
    open_class = publish(world, days=days)
    entry = WaitingListEntry.objects.create(
        virtual_class=open_class.virtual_class,
        user=world.guest,
        state=WaitingState.EXPIRED,
        offered_at=NOW - timedelta(hours=12),
        offer_expires_at=NOW,
    )
    return see_line(world, entry)


@state("bookings:claim_place")
def a_place_of_an_open_class_that_was_not_paid(world):
    return let_lapse(world, days=3)


@state("bookings:claim_place")
def a_place_that_was_not_paid_shortly_before_the_class(world):
    return let_lapse(world, days=1)


@state("bookings:claim_place")
def an_offered_place_of_an_open_class(world):
    entry = WaitingListEntry.objects.create(
        virtual_class=publish(world).virtual_class,
        user=world.guest,
        state=WaitingState.OFFERED,
        offered_at=NOW,
        offer_expires_at=NOW + timedelta(hours=12),
    )
    return see_line(world, entry)


@state("bookings:open_class")
def waiting_for_a_place_that_is_free(world):
    return world.post("bookings:wait_for_open_class", publish(world).pk, user=world.guest)


@state("bookings:open_class")
def waiting_while_a_place_is_held(world):
    place = hold(world)
    return world.post("bookings:wait_for_open_class", place.virtual_class_id, user=world.guest)


@state("bookings:claim_place")
def leaving_the_line(world):
    return world.post("bookings:leave_line", wait_in_line(world).pk, user=world.guest)


@state("bookings:claim_place")
def waiting_again_too_late(world):
    entry = wait_in_line(world)
    VirtualClass.objects.update(start_time=NOW + timedelta(minutes=30))
    return world.post("bookings:wait_again", entry.pk, user=world.guest)


@state("bookings:claim_place")
def a_line_of_a_cancelled_class(world):
    entry = wait_in_line(world)
    VirtualClass.objects.update(status=ClassStatus.CANCELLED)
    return see_line(world, entry)


@state("bookings:claim_place")
def a_line_of_a_class_that_is_over(world):
    entry = wait_in_line(world)
    VirtualClass.objects.update(start_time=NOW - timedelta(hours=2), end_time=NOW)
    return see_line(world, entry)


@state("bookings:my_classes")
def my_classes_with_an_offered_place(world):
    offer_place(world, days=3)
    return world.get("bookings:my_classes", user=world.guest)
