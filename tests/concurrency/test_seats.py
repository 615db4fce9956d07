"""The last place of an open class has one winner, however it is wanted."""

from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from bookings.domain.exceptions import ClassFullError
from bookings.domain.places import joining
from bookings.domain.places.joining import join_class
from bookings.domain.places.participants import count_held_places
from bookings.domain.sales.buying import hold_place, pay_place_by_hand
from bookings.models import Purchase, PurchaseState, UserActivity, VirtualClass
from tests.concurrency.racing import LONG_PATIENCE, SHORT_PATIENCE, Gate, race
from tests.factories import OpenClassFactory, PlaceFactory, UserFactory, VirtualClassFactory

pytestmark = pytest.mark.concurrency

PLACES = 2  # one of them taken


def open_one():
    """An open class whose last place is wanted."""
    virtual_class = VirtualClassFactory(
        scheduled=True, class_price=0, max_participants=PLACES + 1, has_preference=False
    )
    join_class(user=UserFactory(), access_code=virtual_class.access_code)
    return OpenClassFactory(virtual_class=virtual_class, places=PLACES, minimum=1)


def hold(open_class):
    return partial(hold_place, user=UserFactory(), open_class_id=open_class.pk)


def join(open_class):
    code = open_class.virtual_class.access_code
    return partial(join_class, user=UserFactory(), access_code=code)


def pay_late(open_class):
    """Confirm a place whose time to pay is over."""
    place = PlaceFactory(open_class=open_class, kept_until=timezone.now() - timedelta(minutes=1))
    return partial(pay_place_by_hand, purchase_id=place.pk, actor=place.person)


def have_one_winner(open_class, *racers):
    """Race; True if one racer has the place and the others were told that there is none."""
    results = race(*racers)
    refused = [one for one in results if isinstance(one, ClassFullError)]
    stored = VirtualClass.objects.get(pk=open_class.pk)
    people = UserActivity.objects.filter(virtual_class=stored).count()
    kept = people + count_held_places(stored)
    paid = Purchase.objects.places().filter(
        virtual_class__open_class=open_class, state=PurchaseState.PAID
    )
    is_whole = people == stored.current_participants and paid.count() <= 1
    return is_whole and (kept, len(refused)) == (PLACES + 1, len(racers) - 1)


@pytest.fixture
def checking_together(monkeypatch):
    """Have the racers find the place free before any takes it; a lock keeps the others away."""

    def gather(patience):
        gate, is_kept = Gate(3, patience), joining.is_kept_for_another

        def refuse_and_wait(*arguments):
            answer = is_kept(*arguments)
            gate.wait()
            return answer

        monkeypatch.setattr(joining, "is_kept_for_another", refuse_and_wait)

    return gather


def test_the_last_place_has_one_winner_when_all_look_at_once(checking_together):
    open_class = open_one()
    racers = [way(open_class) for way in (hold, join, pay_late)]
    checking_together(SHORT_PATIENCE)

    assert have_one_winner(open_class, *racers)


def test_one_winner_needs_the_lock(checking_together, without_locks):
    open_class = open_one()
    racers = [way(open_class) for way in (hold, join, pay_late)]
    without_locks()
    checking_together(LONG_PATIENCE)

    assert not have_one_winner(open_class, *racers)
