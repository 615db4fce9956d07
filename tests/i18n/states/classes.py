"""The page of one class."""

from datetime import timedelta
from typing import Any

from allauth.socialaccount.models import SocialAccount

from accounts.models import User
from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.history import record_event
from bookings.models import (
    ClassEvent,
    ClassStatus,
    PriceDecision,
    VirtualClass,
)
from tests.i18n.states.payments import make_payment
from tests.i18n.states.world import NOW, World, state


def show(world: World, virtual_class: VirtualClass, user: User | None = None) -> Any:
    """Open the page of a class, by default as its host."""
    return world.get("bookings:class", virtual_class.pk, user=user or world.host)


@state("bookings:class")
def a_class_that_the_price_list_lacks(world):
    return show(world, world.book(price_decision=PriceDecision.WAITING))


@state("bookings:class")
def a_class_in_preparation(world):
    return show(world, world.book(scheduling_requested_at=NOW, paid_at=NOW))


@state("bookings:class")
def a_class_whose_link_takes_long(world):
    return show(world, world.book(scheduling_requested_at=NOW - timedelta(hours=3), paid_at=NOW))


@state("bookings:class")
def a_group_with_one_place(world):
    return show(world, world.schedule(max_participants=2))


@state("bookings:class")
def a_long_group_for_a_person_of_github(world):
    SocialAccount.objects.create(user=world.host, provider="github", uid="1")
    start = world.at("10:00")
    return show(world, world.schedule(start_time=start, end_time=start + timedelta(minutes=90)))


@state("bookings:class")
def a_full_group(world):
    return show(world, world.share(max_participants=2))


@state("bookings:class")
def a_completed_class(world):
    virtual_class = world.schedule(start_time=NOW - timedelta(hours=2))
    VirtualClass.objects.update(status=ClassStatus.COMPLETED)
    return show(world, virtual_class)


@state("bookings:class")
def a_cancelled_class(world):
    return show(world, world.book(status=ClassStatus.CANCELLED))


@state("bookings:class")
def a_class_that_the_host_cancelled(world):
    virtual_class = world.schedule(in_cash=NOW)
    cancel_class(class_id=virtual_class.pk, actor=world.host)
    return show(world, virtual_class)


@state("bookings:class")
def a_class_that_the_teacher_cancelled(world):
    virtual_class = world.schedule(paid_at=NOW)
    make_payment(world, virtual_class.purchase, approved_at=NOW)
    cancel_class(class_id=virtual_class.pk, actor=world.teacher)
    return show(world, virtual_class)


@state("bookings:class")
def a_class_that_its_host_cancelled_for_a_guest(world):
    virtual_class = world.share()
    cancel_class(class_id=virtual_class.pk, actor=world.host)
    return show(world, virtual_class, world.guest)


@state("bookings:class")
def a_class_that_was_moved(world):
    virtual_class = world.schedule(ics_sequence=1, event_update_requested_at=NOW)
    times = {"from": world.at("18:30").isoformat(), "to": virtual_class.start_time.isoformat()}
    record_event(virtual_class, ClassEvent.RESCHEDULED, details=times)
    return show(world, virtual_class)
