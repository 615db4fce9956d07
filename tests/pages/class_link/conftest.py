"""A class for a person without an account."""

import pytest

from bookings.domain.checkout.settling import settle
from bookings.models import VirtualClass
from tests.sales.written_down import ADDRESS, book_class_for, write_lucia


@pytest.fixture
def lucia(db):
    return write_lucia(email=ADDRESS)


@pytest.fixture
def unpaid(lucia, teacher, mercadopago):
    """Lucía's class, to be paid with Mercado Pago."""
    return book_class_for(lucia, teacher)


@pytest.fixture
def paid(unpaid, mercadopago):
    mercadopago.pay(unpaid.preference_id)
    settle(unpaid.preference_id)
    return VirtualClass.objects.get(pk=unpaid.pk)
