"""payments/amounts.py: centavos and the provider's numbers are the same money, exactly."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookings.payments.amounts import to_centavos, to_pesos

# The largest price there can be is 10^10 centavos; what is summed up may be more.
CENTAVOS = st.integers(min_value=0, max_value=10**13)


@pytest.mark.parametrize(
    ("centavos", "text"),
    [
        (1, "0.01"),
        (1_250_050, "12500.5"),
        (10**9, "10000000.0"),
        (10**11, "1000000000.0"),
        (29, "0.29"),
        (115, "1.15"),
        (0, "0.0"),
    ],
    ids=str,
)
def test_amounts_are_written_and_read_exactly(centavos, text):
    assert json.dumps(to_pesos(centavos)) == text
    assert to_centavos(json.loads(text)) == centavos


@given(CENTAVOS)
def test_every_amount_survives_the_way_there_and_back(centavos):
    assert to_centavos(json.loads(json.dumps(to_pesos(centavos)))) == centavos


@given(st.integers(min_value=0, max_value=10**9))
def test_whole_pesos_come_as_whole_numbers_too(pesos):
    assert to_centavos(pesos) == pesos * 100


@pytest.mark.parametrize(
    "number",
    [True, None, "12500.50", -0.01, 0.001, 12500.505, float("nan"), float("inf"), [], {}],
    ids=str,
)
def test_anything_else_is_no_amount(number):
    with pytest.raises(ValueError, match="not an amount"):
        to_centavos(number)
