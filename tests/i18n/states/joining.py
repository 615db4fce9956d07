"""Joining somebody else's class."""

from datetime import timedelta

from tests.i18n.states.world import CODE, NOW, state


@state("bookings:join")
def joining(world):
    return world.get("bookings:join", user=world.guest)


@state("bookings:join_with_code")
def a_class_before_joining(world):
    world.schedule()
    return world.get("bookings:join_with_code", CODE, user=world.guest)


@state("bookings:join_with_code")
def a_paid_class_with_one_place_left(world):
    world.schedule(max_participants=2, paid_at=NOW)
    return world.post("bookings:join", access_code=CODE, user=world.guest)


@state("bookings:join_with_code")
def an_invitation_to_no_class(world):
    return world.get("bookings:join_with_code", CODE, user=world.guest)


@state("bookings:join")
def joining_with_two_characters_missing(world):
    return world.post("bookings:join", access_code="ABCD23", user=world.guest)


@state("bookings:join")
def joining_with_one_character_too_many(world):
    return world.post("bookings:join", access_code="ABCD23456", user=world.guest)


@state("bookings:join")
def joining_with_a_letter_that_no_code_has(world):
    return world.post("bookings:join", access_code="ÑBCD2345", user=world.guest)


@state("bookings:join")
def joining_without_a_code(world):
    return world.post("bookings:join", access_code="", user=world.guest)


@state("bookings:join")
def joining_with_a_code_that_is_too_long(world):
    return world.post("bookings:join", access_code="Z" * 50, user=world.guest)


@state("bookings:join_with_code")
def joining_after_too_many_wrong_codes(world):
    world.settings.MAX_WRONG_CODES = 0
    return world.post("bookings:join", access_code=CODE, user=world.guest)


@state("bookings:join_with_code")
def joining_too_late(world):
    world.schedule(start_time=NOW - timedelta(hours=2))
    return world.post("bookings:join", access_code=CODE, user=world.guest)


@state("bookings:join_with_code")
def joining_a_full_class(world):
    world.schedule(max_participants=1)
    return world.post("bookings:join", access_code=CODE, user=world.guest)


@state("bookings:class")
def joining_one_s_own_class(world):
    world.schedule()
    return world.post("bookings:join", access_code=CODE, user=world.host)


@state("bookings:class")
def joining_twice(world):
    world.share()
    return world.post("bookings:join", access_code=CODE, user=world.guest)


@state("bookings:class")
def joined(world):
    world.schedule()
    return world.post("bookings:join_with_code", CODE, user=world.guest)
