"""A scheduled class, and little patience."""

import pytest

from tests.bookings.drifts import scheduled_classes


@pytest.fixture
def scheduled(host, teacher, google):
    return scheduled_classes(1, booked_by=host)[0]
