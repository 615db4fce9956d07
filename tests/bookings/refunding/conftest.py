"""A paid class."""

import pytest

from bookings.domain.checkout.settling import settle
from bookings.models import (
    PaymentCharge,
)
from tests.payments import make_payment


@pytest.fixture
def paid(mercadopago, host, teacher):
    """Ana's scheduled class, paid."""
    payment = make_payment(host)
    mercadopago.pay(payment.preference_id)
    return settle(payment.preference_id)


@pytest.fixture
def charge(paid):
    """What paid for it."""
    return PaymentCharge.objects.get()
