"""One person asks for many times at once: no more of them are kept than one after the other."""

from datetime import timedelta
from functools import partial

import pytest
from django.conf import settings
from django.utils import timezone

from bookings.domain.checkout import holds
from bookings.domain.checkout.checkout import request_preference
from bookings.domain.checkout.holds import keep_time
from bookings.domain.exceptions import TooManyHoldsError
from bookings.models import Hold, Payment, Price
from tests.concurrency.racing import SHORT_PATIENCE, Gate, race
from tests.factories import HoldFactory

pytestmark = pytest.mark.concurrency

COUNT = 6


@pytest.fixture
def starts():
    """Times that do not meet."""
    first = timezone.now().replace(microsecond=0) + timedelta(days=2)
    return [first + timedelta(days=day) for day in range(COUNT)]


@pytest.fixture(autouse=True)
def _count_together(monkeypatch):
    """Have all racers count the person's holds before any of them stores one."""
    gate = Gate(COUNT, SHORT_PATIENCE)
    check = holds.limit_unpaid

    def check_and_wait(rows, most):
        check(rows, most)
        gate.wait()

    monkeypatch.setattr(holds, "limit_unpaid", check_and_wait)


def test_preferences_at_once_keep_no_more_times_than_the_limit(mercadopago, host, starts):
    Price.objects.create(
        class_type="individual",
        minutes=60,
        students_up_to=1,
        amount=1_500_000,
        valid_from=timezone.localdate(),
    )

    asked = race(
        *[
            partial(
                request_preference,
                user=host,
                start=start,
                end=start + timedelta(hours=1),
                is_group_class=False,
                students_count=1,
            )
            for start in starts
        ]
    )

    assert [one for one in asked if not isinstance(one, Payment | TooManyHoldsError)] == []
    assert Hold.objects.count() == settings.MAX_UNPAID_HOLDS


def test_slots_chosen_at_once_leave_the_last_one(host, starts):
    race(
        *[
            partial(
                keep_time,
                HoldFactory.build(
                    user=host,
                    start_time=start,
                    end_time=start + timedelta(hours=1),
                    class_type="individual",
                    expires_at=timezone.now() + timedelta(minutes=15),
                ),
            )
            for start in starts
        ]
    )

    assert Hold.objects.count() == 1
