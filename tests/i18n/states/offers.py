"""Offers: chosen, used up, ended, free, and at another price than before."""

from bookings.domain.sales.checkout import check_out_hold
from bookings.models import ClassType, Hold, Offer
from tests.i18n.states.world import state
from tests.sales.offers import make_offer


@state("bookings:landing")
def front_page_with_offers(world):
    _make_trial()
    return world.get("bookings:landing")


@state("bookings:book")
def a_free_offer(world):
    return world.get("bookings:book", oferta=_make_trial().key)


@state("bookings:book")
def an_offer_that_is_over(world):
    make_offer(name="Exam", is_active=False)
    return world.get("bookings:book", oferta="examen234567")


@state("bookings:book")
def an_offer_that_was_used(world):
    trial = _make_trial()
    check_out_hold(user=world.host, hold_id=_hold(world, trial).pk, students_count=1)
    return world.get("bookings:book", oferta=trial.key, user=world.host)


@state("bookings:hold")
def details_of_a_free_class(world):
    return world.get("bookings:hold", _hold(world, _make_trial()).pk, user=world.host)


@state("bookings:hold")
def a_price_that_changed(world):
    hold = _hold(world, make_offer({60: 1_800_000}, name="Exam"))
    fields = {"students_count": "1", "seen": "1:1700000"}
    return world.post("bookings:hold", hold.pk, user=world.host, **fields)


def _make_trial() -> Offer:
    return make_offer({60: 0}, name="Trial", once_per_person=True)


def _hold(world, offer: Offer) -> Hold:
    hold = world.hold(ClassType.INDIVIDUAL)
    Hold.objects.filter(pk=hold.pk).update(offer=offer)
    return hold
