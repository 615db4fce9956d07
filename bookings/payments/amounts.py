"""Centavos on our side, pesos with decimals on the provider's. No float is ever compared."""

from decimal import Decimal


def to_pesos(centavos: int) -> float:
    """Give the JSON number the provider wants. Two decimals survive the way through a float."""
    return float(Decimal(centavos).scaleb(-2))


def to_centavos(pesos: object) -> int:
    """Read the provider's JSON number exactly. Raises ValueError for anything else."""
    if isinstance(pesos, bool) or not isinstance(pesos, int | float):
        raise ValueError("not an amount")  # noqa: TRY004 - one error for every bad amount
    # str() first: the shortest text that means this float is what the provider wrote.
    centavos = Decimal(str(pesos)).scaleb(2)
    if not centavos.is_finite() or centavos < 0 or centavos != centavos.to_integral_value():
        raise ValueError("not an amount")
    return int(centavos)
