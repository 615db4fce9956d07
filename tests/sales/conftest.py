"""What the tests of sales share."""

import pytest

from tests.sales.open_classes import store


@pytest.fixture
def open_class(mercadopago, teacher):
    return store(teacher)
