"""Open classes, and the places that students hold and pay."""

from datetime import timedelta
from typing import Any

from bookings.models import (
    ChargeStatus,
    DiscountCode,
    MinimumDecision,
    OpenClass,
    PaymentStatus,
    Purchase,
    PurchaseState,
    VirtualClass,
)
from bookings.pages.sales import paying
from tests.factories import OpenClassFactory, PlaceFactory
from tests.i18n.states.payments import make_payment
from tests.i18n.states.world import NOW, World, state

GIVEN_UP = (PurchaseState.LAPSED, PurchaseState.LOST, PurchaseState.ENDED)
OPEN_CHARGES = (None, ChargeStatus.PENDING, ChargeStatus.REJECTED, ChargeStatus.APPROVED)


def publish(world: World, *, days: int = 3, **changes: Any) -> OpenClass:
    """Let the host give an open class, whose title belongs to no language."""
    booked = {"max_participants": 7, "class_price": 0, "start_time": world.at("10:00", days=days)}
    virtual_class = world.schedule(is_sold=False, **booked)
    return OpenClassFactory(virtual_class=virtual_class, title="B1", **changes)


def hold(world: World, open_class: OpenClass | None = None, **changes: Any) -> Purchase:
    """Let the guest hold a place."""
    kept = {"kept_until": NOW + timedelta(minutes=15), "person": world.guest}
    return PlaceFactory(open_class=open_class or publish(world), **kept | changes)


def see(world: World, place: Purchase, **query: str) -> Any:
    return world.get("bookings:place", place.pk, user=world.guest, **query)


@state("bookings:open_classes")
def no_open_class(world):
    return world.get("bookings:open_classes")


@state("bookings:open_classes")
def open_classes_with_one_place_and_none(world):
    hold(world, publish(world, days=2, place_price=0))
    VirtualClass.objects.update(max_participants=3)
    return world.get("bookings:open_classes")


@state("bookings:landing")
def landing_with_open_classes(world):
    publish(world)
    return world.get("bookings:landing")


@state("bookings:open_class")
def open_class_for_a_stranger(world):
    DiscountCode.objects.create(code="B1B1B1", percent=50)
    return world.get("bookings:open_class", publish(world, level="intermedio").pk)


@state("bookings:open_class")
def open_class_that_goes_on(world):
    open_class = publish(world, decision=MinimumDecision.GOES_ON)
    VirtualClass.objects.update(start_time=NOW + timedelta(hours=1))
    return world.get("bookings:open_class", open_class.pk, user=world.guest)


@state("bookings:open_class")
def open_class_with_a_held_place(world):
    place = hold(world)
    return world.get("bookings:open_class", place.virtual_class_id, user=world.guest)


@state("bookings:open_class")
def open_class_of_the_reader(world):
    return world.get("bookings:open_class", publish(world).pk, user=world.host)


@state("bookings:open_class")
def open_class_with_an_own_place(world):
    open_class = publish(world)
    open_class.virtual_class.activities.create(user=world.guest, rol="participante")
    return world.get("bookings:open_class", open_class.pk, user=world.guest)


@state("bookings:open_class")
def full_open_class(world):
    open_class = publish(world)
    VirtualClass.objects.update(max_participants=1)
    return world.get("bookings:open_class", open_class.pk, user=world.guest)


@state("bookings:open_class")
def open_class_that_began(world):
    open_class = publish(world)
    VirtualClass.objects.update(start_time=NOW - timedelta(minutes=1))
    return world.get("bookings:open_class", open_class.pk)


@state("bookings:open_class")
def open_class_that_waits_for_the_calendar(world):
    open_class = publish(world)
    VirtualClass.objects.update(status="pending")
    return world.get("bookings:open_class", open_class.pk)


@state("bookings:reserve_place")
def a_place_at_another_price(world):
    open_class = publish(world)
    return world.post("bookings:reserve_place", open_class.pk, user=world.guest, seen="1")


@state("bookings:open_class")
def reserving_a_place_of_a_class_that_is_full(world):
    open_class = publish(world)
    VirtualClass.objects.update(max_participants=1)
    return world.post("bookings:reserve_place", open_class.pk, user=world.guest, seen="400000")


@state("bookings:reserve_place")
def a_place_with_a_discount(world):
    DiscountCode.objects.create(code="B1B1B1", percent=50)
    form = {"code": "B1B1B1", "apply": "1", "seen": "400000"}
    return world.post("bookings:reserve_place", publish(world).pk, user=world.guest, **form)


@state("bookings:class")
def a_free_place_taken(world):
    open_class = publish(world, place_price=0)
    return world.post("bookings:reserve_place", open_class.pk, user=world.guest, seen="0")


@state("bookings:open_class")
def releasing_a_place(world):
    return world.post("bookings:release_place", hold(world).pk, user=world.guest)


@state("bookings:place")
def a_place_shortly_before_the_class(world):
    return see(world, hold(world, publish(world, days=0)))


def _a_place_in(place_state: PurchaseState) -> None:
    def show(world: World) -> Any:
        paid_at = NOW if place_state == PurchaseState.PAID else None
        return see(world, hold(world, state=place_state, paid_at=paid_at))

    show.__name__ = f"a_place_{place_state}"
    state("bookings:place")(show)


def _a_place_being_paid(charge: ChargeStatus | None) -> None:
    def show(world: World) -> Any:
        world.monkeypatch.setattr(paying, "settle_if_not_recent", lambda payment: None)
        status = PaymentStatus.REJECTED if charge == "rejected" else PaymentStatus.PENDING
        place = hold(world)
        make_payment(world, place, charge=charge, status=status)
        return see(world, place)

    show.__name__ = f"a_place_whose_payment_is_{charge or 'not_made'}"
    state("bookings:place")(show)


for given_up in (*GIVEN_UP, PurchaseState.PAID):
    _a_place_in(given_up)
for open_charge in OPEN_CHARGES:
    _a_place_being_paid(open_charge)


@state("bookings:leave")
def leaving_a_place(world):
    open_class = publish(world)
    open_class.virtual_class.activities.create(user=world.guest, rol="participante")
    hold(world, open_class, state=PurchaseState.PAID, paid_at=NOW)
    return world.get("bookings:leave", open_class.pk, user=world.guest)


@state("bookings:leave")
def leaving_a_place_too_late(world):
    open_class = publish(world)
    VirtualClass.objects.update(start_time=NOW + timedelta(hours=1))
    open_class.virtual_class.activities.create(user=world.guest, rol="participante")
    hold(world, open_class, state=PurchaseState.PAID, paid_at=NOW)
    return world.get("bookings:leave", open_class.pk, user=world.guest)
