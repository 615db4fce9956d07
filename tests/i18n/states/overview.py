"""A person's first page, and the list of their classes."""

from datetime import timedelta

from accounts.models import User
from bookings.domain.places.joining import join_class
from bookings.models import ClassStatus, VirtualClass
from tests.booking import book_class
from tests.factories import VirtualClassFactory
from tests.i18n.states.world import NOW, World, state


def one_of_each(world: World) -> None:
    """Let the host have a class in every state, and be the guest of another."""
    world.book(start_time=world.at("09:00"), preference_id="from-the-api")
    world.book(start_time=world.at("10:00"), scheduling_requested_at=NOW)
    world.schedule(start_time=world.at("11:00"))
    world.book(start_time=world.at("12:00"), status=ClassStatus.CANCELLED)
    world.book(start_time=world.at("09:00", days=-1))
    VirtualClassFactory(
        scheduled=True, booked_by=world.guest, access_code="WXYZ6789", start_time=NOW
    )
    join_class(user=world.host, access_code="WXYZ6789")


@state("bookings:inicio")
def home(world):
    one_of_each(world)
    return world.get("bookings:inicio", user=world.host)


@state("bookings:inicio")
def home_after_a_class(world):
    User.objects.update(total_classes=1)
    return world.get("bookings:inicio", user=world.host)


@state("profile")
def profile_after_many_classes(world):
    User.objects.update(total_classes=12)
    return world.get("profile", user=world.host)


@state("bookings:inicio")
def home_of_the_teacher(world):
    return world.get("bookings:inicio", user=world.teacher)


@state("bookings:my_classes")
def my_classes(world):
    one_of_each(world)
    book_class(
        user=world.host,
        start=world.at("10:00", days=2),
        end=world.at("11:00", days=2),
        is_group_class=False,
        students_count=1,
        price=0,
        preference_id="preference-lapsed",
        has_preference=False,
    )
    return world.get("bookings:my_classes", user=world.host)


@state("bookings:my_classes")
def earlier_classes(world):
    VirtualClass.objects.bulk_create(
        VirtualClassFactory.build(booked_by=world.host, start_time=NOW - timedelta(days=2 + number))
        for number in range(41)
    )
    first = world.get("bookings:my_classes", user=world.host)
    return world.get(
        "bookings:my_classes", user=world.host, antes=str(first.context["last_shown"].pk)
    )
