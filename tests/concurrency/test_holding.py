"""One person asks for many times at once: no more of them are kept than one after the other."""

from datetime import timedelta
from functools import partial

import pytest
from django.conf import settings
from django.test import override_settings
from django.utils import timezone

from bookings.domain.change_policy import limit_unpaid
from bookings.domain.exceptions import TooManyHoldsError
from bookings.domain.sales import buying, checkout, holds
from bookings.domain.sales.buying import hold_place
from bookings.domain.sales.checkout import request_preference
from bookings.domain.sales.holds import keep_time
from bookings.models import Hold, Payment, Price, Purchase, PurchaseState
from tests.concurrency.racing import SHORT_PATIENCE, Gate, race
from tests.factories import HoldFactory
from tests.sales.open_classes import store

pytestmark = pytest.mark.concurrency

COUNT = 6


@pytest.fixture
def starts():
    """Times that do not meet."""
    first = timezone.now().replace(microsecond=0) + timedelta(days=2)
    return [first + timedelta(days=day) for day in range(COUNT)]


@pytest.fixture(autouse=True)
def _count_together(monkeypatch):
    """Have all racers count what the person has before any of them stores more."""
    for module in (holds, checkout, buying):
        gate = Gate(COUNT, SHORT_PATIENCE)
        monkeypatch.setattr(module, "limit_unpaid", partial(_check_and_wait, gate))


def _check_and_wait(gate, rows, most):
    limit_unpaid(rows, most)
    gate.wait()


def ask_for_preferences(user, starts):
    Price.objects.create(
        class_type="individual",
        minutes=60,
        students_up_to=1,
        amount=1_500_000,
        valid_from=timezone.localdate(),
    )
    return race(
        *[
            partial(
                request_preference,
                user=user,
                start=start,
                end=start + timedelta(hours=1),
                is_group_class=False,
                students_count=1,
            )
            for start in starts
        ]
    )


def test_preferences_at_once_keep_no_more_times_than_the_limit(mercadopago, host, starts):
    asked = ask_for_preferences(host, starts)

    assert [one for one in asked if not isinstance(one, Payment | TooManyHoldsError)] == []
    assert Hold.objects.count() == settings.MAX_UNPAID_HOLDS


def test_preferences_at_once_are_no_more_than_their_own_limit(mercadopago, host, starts):
    with override_settings(MAX_UNPAID_PREFERENCES=2):
        ask_for_preferences(host, starts)

    assert Payment.objects.count() == 2


def test_places_at_once_are_no_more_than_the_limit(mercadopago, host, teacher, starts):
    published = [store(teacher, start=start, decides_at=start) for start in starts]

    asked = race(*[partial(hold_place, user=host, open_class_id=one.pk) for one in published])

    assert [one for one in asked if not isinstance(one, Purchase | TooManyHoldsError)] == []
    assert (
        Purchase.objects.places().filter(state=PurchaseState.KEPT).count()
        == settings.MAX_UNPAID_HOLDS
    )


def test_slots_chosen_at_once_leave_the_last_one(host, starts):
    race(
        *[
            partial(
                keep_time,
                HoldFactory.build(user=host, start_time=start),
            )
            for start in starts
        ]
    )

    assert Hold.objects.count() == 1
