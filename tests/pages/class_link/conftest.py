"""A class for a person without an account."""

import pytest
from django.utils import timezone

from bookings.models import make_link
from tests.factories import VirtualClassFactory
from tests.sales.written_down import ADDRESS, START, book_class_for, write_lucia


@pytest.fixture
def lucia(db):
    return write_lucia(email=ADDRESS)


@pytest.fixture
def unpaid(lucia, teacher, mercadopago):
    """Lucía's class, to be paid with Mercado Pago."""
    return book_class_for(lucia, teacher)


@pytest.fixture
def make_paid(teacher):
    """Make a paid and scheduled class of a person's, with its link."""

    def make(person):
        paid = VirtualClassFactory(
            booked_by=person,
            scheduled=True,
            paid_at=timezone.now(),
            start_time=START,
            class_type="individual",
            max_participants=1,
        )
        make_link(paid)
        return paid

    return make


@pytest.fixture
def paid(lucia, make_paid):
    return make_paid(lucia)
