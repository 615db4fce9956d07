"""The teacher's bank account, as she types it."""

import re
import unicodedata

from django.core.exceptions import ValidationError

SHAPE = "Un alias tiene entre 6 y 20 letras, números, puntos o guiones; un CBU o CVU, 22 números."
WRONG_DIGITS = "Ese CBU o CVU tiene algún número mal: copialo de tu banco."


def read_bank_account(typed: str) -> str:
    """Return an alias, or a CBU or CVU without separators. Raises ValidationError."""
    text = unicodedata.normalize("NFKC", typed).strip()
    digits = re.sub(r"[\s.-]", "", text)
    if re.fullmatch(r"[0-9]{22}", digits):
        if not _has_check_digits(digits):
            raise ValidationError(WRONG_DIGITS)
        return digits
    # A long number is a mistyped CBU, no alias.
    if not re.fullmatch(r"[A-Za-z0-9.-]{6,20}", text) or re.fullmatch(r"[0-9]{11,}", digits):
        raise ValidationError(SHAPE)
    return text


def _has_check_digits(number: str) -> bool:
    """https://www.bcra.gob.ar/SistemasFinancierosYdePagos/SNP_CBU.asp"""
    return _fits(number[:8], "7139713") and _fits(number[8:], "3971397139713")


def _fits(part: str, weights: str) -> bool:
    total = sum(int(digit) * int(weight) for digit, weight in zip(part[:-1], weights, strict=True))
    return (10 - total % 10) % 10 == int(part[-1])
