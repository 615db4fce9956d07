"""The last use of a discount code has one winner: among two students, and in two tabs of one."""

from datetime import timedelta
from functools import partial

import pytest
from django.db import transaction
from django.utils import timezone

from bookings.domain.money import discounts
from bookings.domain.money.discounts import DiscountCodeError, list_uses
from bookings.domain.sales.checkout import check_out_hold
from bookings.models import Price
from tests.concurrency.racing import LONG_PATIENCE, SHORT_PATIENCE, Gate, race
from tests.discount_codes import DiscountCodeFactory
from tests.factories import HoldFactory, OpenClassFactory, PlaceFactory, UserFactory

pytestmark = pytest.mark.concurrency


@pytest.fixture(autouse=True)
def _price():
    Price.objects.create(
        class_type="individual",
        minutes=60,
        students_up_to=1,
        amount=1_500_000,
        valid_from="2026-01-01",
    )


def book(user, code):
    """Return what books an hour of the person's with the code."""
    start = timezone.now().replace(microsecond=0) + timedelta(days=2, hours=2 * book.count)
    book.count += 1
    hold = HoldFactory(user=user, start_time=start)
    return partial(
        check_out_hold, user=user, hold_id=hold.pk, students_count=1, typed_code=code.code
    )


book.count = 0


def take_place(user, code, open_class):
    @transaction.atomic
    def hold():
        found = discounts.take_discount(user=user, typed=code.code, amount=400_000)
        return PlaceFactory(
            person=user, open_class=open_class, price=400_000 - found.amount, **found.fields
        )

    return hold


def have_one_winner(code, *racers):
    """Race; True if one use was taken, and every other racer was told that there is none."""
    results = race(*racers)
    refused = [one for one in results if isinstance(one, DiscountCodeError)]
    uses = list_uses().filter(discount_code=code).count()
    return (uses, len(refused)) == (1, len(racers) - 1)


def race_of_students():
    code = DiscountCodeFactory(max_uses=1)
    return have_one_winner(code, *(book(person, code) for person in UserFactory.create_batch(2)))


def race_of_tabs():
    """A class in one tab, a place of an open class in the other."""
    code, person = DiscountCodeFactory(max_uses=None), UserFactory()
    place = take_place(person, code, OpenClassFactory())
    return have_one_winner(code, book(person, code), place)


@pytest.fixture
def checking_together(monkeypatch):
    """Have both racers find the code before either takes it; a lock keeps the second away."""

    def gather(patience):
        gate, take = Gate(2, patience), discounts.take_discount

        def take_and_wait(**fields):
            found = take(**fields)
            gate.wait()
            return found

        monkeypatch.setattr(discounts, "take_discount", take_and_wait)

    return gather


@pytest.mark.parametrize("run", [race_of_students, race_of_tabs])
def test_the_last_use_has_one_winner_when_both_look_at_once(run, checking_together):
    checking_together(SHORT_PATIENCE)

    assert run()


@pytest.mark.parametrize("run", [race_of_students, race_of_tabs])
def test_one_winner_needs_the_lock(run, checking_together, without_locks):
    without_locks()
    checking_together(LONG_PATIENCE)

    assert not run()
