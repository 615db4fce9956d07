from datetime import timedelta

import pytest
from django.utils import timezone

from bookings.models import ClassStatus, VirtualClass
from config.lib.retries import backoff, claim, is_due
from tests.factories import VirtualClassFactory

pytestmark = pytest.mark.django_db

MINUTE, COLUMN = timedelta(minutes=1), "next_scheduling_at"


@pytest.fixture
def pending():
    return VirtualClass.objects.filter(status=ClassStatus.PENDING)


def test_backoff_doubles_up_to_the_longest():
    waits = [backoff(n, first=MINUTE, longest=30 * MINUTE) / MINUTE for n in (1, 2, 3, 1000)]

    assert [0.75 <= waits[0] <= 1.25, 1.5 <= waits[1] <= 2.5, 3 <= waits[2] <= 5] == [True] * 3
    assert 22.5 <= waits[3] <= 37.5


def test_backoff_never_repeats_a_wait():
    assert len({backoff(1, first=MINUTE, longest=MINUTE) for _ in range(10)}) > 1


@pytest.mark.parametrize(
    ("ahead", "expected"),
    [
        (None, False),
        (-MINUTE, True),
        (MINUTE, False),
        (76 * MINUTE, False),
        (77 * MINUTE, True),
    ],
    ids=["not planned", "due", "planned", "longest wait", "clock was ahead"],
)
def test_a_row_is_due_in_time_or_if_no_wait_explains_its_time(ahead, expected):
    now = timezone.now()
    VirtualClassFactory(next_scheduling_at=None if ahead is None else now + ahead)

    due = VirtualClass.objects.filter(is_due(COLUMN, 60 * MINUTE, now))

    assert due.exists() == expected


def test_claim_belongs_to_one_worker(pending):
    row = VirtualClassFactory()
    same = VirtualClass.objects.get()

    claims = [claim(pending, one, COLUMN, MINUTE, scheduling_attempts=3) for one in (row, same)]

    assert claims == [True, False]
    stored = VirtualClass.objects.get()
    assert (stored.next_scheduling_at, stored.scheduling_attempts) == (row.next_scheduling_at, 3)


def test_claim_fails_for_a_row_that_left_its_rows(pending):
    row = VirtualClassFactory()
    pending.update(status=ClassStatus.CANCELLED)

    assert not claim(pending, row, COLUMN, MINUTE)
