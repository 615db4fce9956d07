"""The page of one class."""

from datetime import timedelta
from typing import Any

from allauth.socialaccount.models import SocialAccount

from accounts.models import User
from bookings.domain.checkout.checkout import check_out_hold
from bookings.domain.checkout.teacher_booking import book_for
from bookings.domain.lifecycle.cancelling import cancel_class
from bookings.models import (
    ChargeStatus,
    ClassStatus,
    ClassType,
    Hold,
    PriceDecision,
    VirtualClass,
)
from tests.i18n.states.changing import move
from tests.i18n.states.payments import make_payment
from tests.i18n.states.world import NOW, World, state


def show(world: World, virtual_class: VirtualClass, user: User | None = None) -> Any:
    """Open the page of a class, by default as its host."""
    return world.get("bookings:class", virtual_class.pk, user=user or world.host)


@state("bookings:class")
def a_class_to_pay(world):
    hold = world.hold()
    return show(world, check_out_hold(user=world.host, hold_id=hold.pk, students_count=1))


@state("bookings:class")
def a_class_to_pay_at_the_checkout(world):
    return show(world, make_payment(world).virtual_class)


@state("bookings:class")
def a_class_that_waits_for_cash(world):
    return show(world, make_payment(world, charge=ChargeStatus.PENDING).virtual_class)


@state("bookings:class")
def a_class_to_pay_without_a_hold(world):
    return show(world, world.book(preference_id="from-the-api"))


@state("bookings:class")
def a_class_that_the_teacher_booked(world):
    start = world.at("18:30", days=3)
    booked = book_for(
        student=world.host,
        start=start,
        minutes=60,
        class_type=ClassType.INDIVIDUAL,
        students=1,
        price=1_500_000,
        is_paid=False,
        by=world.teacher,
    )
    return show(world, booked)


@state("bookings:class")
def a_class_whose_hold_is_over(world):
    virtual_class = check_out_hold(user=world.host, hold_id=world.hold().pk, students_count=1)
    Hold.objects.all().delete()
    return show(world, virtual_class)


@state("bookings:class")
def a_class_whose_time_a_paid_one_took(world):
    return show(world, world.book(scheduling_refusal="slot_taken"))


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
def a_scheduled_group(world):
    return show(world, world.schedule())


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
def an_individual_class(world):
    return show(world, world.schedule(class_type=ClassType.INDIVIDUAL, max_participants=1))


@state("bookings:class")
def a_class_about_to_start(world):
    return show(world, world.schedule(start_time=NOW + timedelta(minutes=5)))


@state("bookings:class")
def a_class_joined(world):
    return show(world, world.share(), world.guest)


@state("bookings:class")
def a_class_that_is_over(world):
    return show(world, world.schedule(start_time=NOW - timedelta(hours=2)))


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
    virtual_class = world.schedule(paid_at=NOW)
    cancel_class(class_id=virtual_class.pk, actor=world.host)
    return show(world, virtual_class)


@state("bookings:class")
def a_class_that_the_teacher_cancelled(world):
    payment = make_payment(world, approved_at=NOW, virtual_class=world.schedule())
    cancel_class(class_id=payment.virtual_class.pk, actor=world.teacher)
    return show(world, payment.virtual_class)


@state("bookings:class")
def a_class_that_its_host_cancelled_for_a_guest(world):
    virtual_class = world.share()
    cancel_class(class_id=virtual_class.pk, actor=world.host)
    return show(world, virtual_class, world.guest)


@state("bookings:class")
def a_class_that_was_moved(world):
    virtual_class = world.schedule(start_time=world.at("10:00", days=2))
    move(world, virtual_class)
    VirtualClass.objects.update(event_update_requested_at=NOW)
    return show(world, virtual_class)


@state("bookings:class")
def a_class_that_is_too_near_to_change(world):
    return show(world, world.schedule(start_time=NOW + timedelta(hours=5)))
