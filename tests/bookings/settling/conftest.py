"""Payments to settle."""

import pytest

from tests.payments import make_payment


@pytest.fixture
def payment(mercadopago, host):
    """Ana's payment of a booked class, still to be made."""
    return make_payment(host)


@pytest.fixture
def early(mercadopago, host):
    """Ana's payment of a class that she has not booked yet."""
    return make_payment(host, booked=False)


@pytest.fixture
def preference_id(mercadopago, google):
    """A preference that another system of the teacher's made."""
    return mercadopago.add_preference()["id"]
