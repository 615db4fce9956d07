"""A law that changes, and a class that it moves."""

import pytest
import time_machine
from django.utils import timezone

from bookings.domain.places.joining import join_class
from bookings.models import Notice
from tests.bookings.wall_times.steps import NOW, schedule
from tests.zones import AN_HOUR_AHEAD, new_law


@pytest.fixture(autouse=True)
def _today():
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def law(tmp_path):
    """The law that brings daylight saving back, inside of the block."""
    return lambda offset=AN_HOUR_AHEAD: new_law(tmp_path, offset)


@pytest.fixture
def scheduled(host, student, teacher):
    """Ana's class on Monday at 16:00, with Bruno; both were told."""
    virtual_class = schedule(host)
    join_class(user=student, access_code=virtual_class.access_code)
    now = timezone.now()
    Notice.objects.filter(due_at__lte=now).update(sent_at=now, next_attempt_at=None)
    return virtual_class
