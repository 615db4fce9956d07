"""Our centavos, and the provider's pesos with decimals."""

from decimal import Decimal

# A hundred thousand times the highest price; up to here floats with two decimals are exact.
LARGEST = 10**15


def to_pesos(centavos: int) -> float:
    """Two decimals survive the float."""
    return float(Decimal(centavos).scaleb(-2))


def to_centavos(pesos: object) -> int:
    """Read a JSON number exactly, else raise ValueError."""
    if isinstance(pesos, bool) or not isinstance(pesos, int | float):
        raise ValueError("not an amount")  # noqa: TRY004 - one error for every bad amount
    # str() first: the shortest text that means this float is what the provider wrote.
    centavos = Decimal(str(pesos)).scaleb(2)
    is_whole = centavos.is_finite() and centavos == centavos.to_integral_value()
    if not is_whole or not 0 <= centavos <= LARGEST:
        raise ValueError("not an amount")
    return int(centavos)
