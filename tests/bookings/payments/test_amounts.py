"""mercadopago/gateway.py: centavos and the provider's numbers are the same money, exactly."""

import ast
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookings.payments.mercadopago.gateway import to_centavos, to_pesos
from tests.processes import ROOT

# The JSON numbers that are written, and read, at the edge; a whole float is taken for its integer.
FLOAT_USERS = {
    "bookings/payments/mercadopago/gateway.py",
}
# These count seconds, and what a figure of the metrics is made of; no money.
SECONDS_AND_FIGURES = {
    "bookings/work/metrics.py",
    "bookings/work/queues.py",
    "bookings/notices/delivery.py",
    "bookings/webhooks/delivery.py",
    "bookings/webhooks/sending.py",
}

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


def test_floats_stay_at_the_edge():
    users = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "bookings").rglob("*.py")
        if uses_floats(ast.parse(path.read_text()))
    }

    assert users - SECONDS_AND_FIGURES == FLOAT_USERS


def test_the_gateway_compares_no_float():
    tree = ast.parse((ROOT / "bookings/payments/mercadopago/gateway.py").read_text())
    comparisons = [node for node in ast.walk(tree) if isinstance(node, ast.Compare)]

    assert comparisons
    assert not any(uses_floats(node) for node in comparisons)


def uses_floats(tree):
    """Whether code names floats, or makes one of centavos."""
    return any(
        isinstance(node, ast.Name) and node.id in {"float", "to_pesos"} for node in ast.walk(tree)
    )


@pytest.mark.parametrize(
    "number",
    [True, None, "12500.50", -0.01, 0.001, 12500.505, float("nan"), float("inf"), [], {}, 1e30],
    ids=str,
)
def test_anything_else_is_no_amount(number):
    with pytest.raises(ValueError, match="not an amount"):
        to_centavos(number)
