"""Mercado Pago's gateway, a preference and a charge."""

import pytest

from bookings.payments.mercadopago.gateway import MercadoPagoGateway
from tests.bookings.payments.drafts import draft


@pytest.fixture
def gateway(mercadopago):
    return MercadoPagoGateway()


@pytest.fixture
def preference_id(gateway):
    """A preference of 12,500.50 pesos under our reference."""
    return gateway.create_preference(draft())[0]


@pytest.fixture
def charge_id(mercadopago, preference_id):
    return str(mercadopago.pay(preference_id)["id"])
