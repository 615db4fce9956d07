"""A paid class."""

import pytest

from bookings.models import (
    PaymentCharge,
)
from tests.bookings.stored import store_paid


@pytest.fixture
def paid(mercadopago, host, teacher):
    """Ana's scheduled class, paid."""
    return store_paid(mercadopago, host)


@pytest.fixture
def charge(paid):
    """What paid for it."""
    return PaymentCharge.objects.get()
