"""Cancelling a class, leaving it, and moving it."""

from datetime import timedelta
from typing import Any

from accounts.models import User
from bookings.domain.places.joining import join_class
from bookings.models import ChargeStatus, PaymentCharge, Role, UserActivity, VirtualClass
from tests.i18n.states.payments import make_payment
from tests.i18n.states.world import CODE, NOW, World, state


def move(world: World, virtual_class: VirtualClass, user: User | None = None) -> Any:
    """Move a class to the eleven o'clock of the day after tomorrow."""
    arguments = {"dia": "2026-11-25", "hora": "11:00", "user": user or world.host}
    return world.post("bookings:confirm_move", virtual_class.pk, **arguments)


@state("bookings:cancel")
def cancelling_a_paid_group(world):
    virtual_class = world.schedule(paid_at=NOW)
    make_payment(world, virtual_class.purchase, approved_at=NOW, charge=ChargeStatus.APPROVED)
    PaymentCharge.objects.update(counts=True)
    join_class(user=world.guest, access_code=CODE)
    return world.get("bookings:cancel", virtual_class.pk, user=world.host)


@state("bookings:cancel")
def cancelling_a_class_that_was_paid_by_hand(world):
    return world.get("bookings:cancel", world.schedule(in_cash=NOW).pk, user=world.host)


@state("bookings:cancel")
def cancelling_for_a_reason_that_is_too_long(world):
    return world.post("bookings:cancel", world.book().pk, reason="x" * 900, user=world.host)


@state("bookings:class")
def a_class_just_cancelled(world):
    return world.post("bookings:cancel", world.schedule().pk, reason="x", user=world.host)


@state("bookings:class")
def cancelling_too_late(world):
    near = world.schedule(start_time=NOW + timedelta(hours=1))
    return world.post("bookings:cancel", near.pk, user=world.host)


@state("bookings:class")
def cancelling_somebody_else_s_class(world):
    return world.post("bookings:cancel", world.share().pk, user=world.guest)


@state("bookings:leave")
def leaving_a_class(world):
    return world.get("bookings:leave", world.share().pk, user=world.guest)


@state("bookings:my_classes")
def a_class_just_left(world):
    return world.post("bookings:leave", world.share().pk, user=world.guest)


@state("bookings:class")
def leaving_one_s_own_class(world):
    return world.post("bookings:leave", world.schedule().pk, user=world.host)


@state("bookings:class")
def leaving_a_class_that_has_begun(world):
    virtual_class = world.schedule(start_time=NOW - timedelta(minutes=5))
    UserActivity.objects.create(user=world.guest, virtual_class=virtual_class, rol=Role.PARTICIPANT)
    return world.post("bookings:leave", virtual_class.pk, user=world.guest)


@state("bookings:reschedule")
def no_other_time_chosen(world):
    return world.get_on("bookings:confirm_move", world.schedule().pk, user=world.host)


@state("bookings:confirm_move")
def confirming_a_near_time(world):
    when = {"dia": "2026-11-23", "hora": "13:00"}
    return world.get("bookings:confirm_move", world.schedule().pk, user=world.host, **when)


@state("bookings:class")
def a_class_just_moved(world):
    return move(world, world.schedule())


@state("bookings:class")
def moving_a_class_to_where_it_is(world):
    return move(world, world.schedule(start_time=world.at("11:00", days=2)))


@state("bookings:class")
def moving_a_class_that_is_not_scheduled(world):
    return move(world, world.book())


@state("bookings:class")
def moving_somebody_else_s_class(world):
    return move(world, world.share(), world.guest)
