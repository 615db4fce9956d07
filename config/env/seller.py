"""The seller's data, which Argentina's law wants on the site."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from config.env.values import Values

# Of the sum whose remainder by 11 is the check digit.
CUIT_WEIGHTS = (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)
CUIT_DIGITS = len(CUIT_WEIGHTS) + 1


@dataclass(frozen=True, slots=True)
class Seller:
    """The parsed values; each may be empty.

    cuit: as people write it, 20-12345678-6. data_fiscal_url: AFIP's page about the seller.
    """

    name: str = ""
    cuit: str = ""
    address: str = ""
    hours: str = ""
    data_fiscal_url: str = ""


def parse_seller(read: Values) -> Seller:
    """Read the values. Raises ImproperlyConfigured."""
    return Seller(
        name=read.text("SELLER_NAME"),
        cuit=_cuit(read),
        address=read.text("SELLER_ADDRESS"),
        hours=read.text("SELLER_HOURS"),
        data_fiscal_url=_data_fiscal_url(read),
    )


def _cuit(read: Values) -> str:
    """Read a number with or without dashes and check its last digit."""
    value = read.text("SELLER_CUIT")
    if not value:
        return ""
    digits = value.replace("-", "").replace(" ", "")
    if not (digits.isascii() and digits.isdigit() and len(digits) == CUIT_DIGITS):
        raise ImproperlyConfigured("SELLER_CUIT must have 11 digits, such as 20-12345678-6.")
    if int(digits[-1]) != _check_digit(digits):
        raise ImproperlyConfigured(
            "SELLER_CUIT is mistyped: its last digit does not match the others."
        )
    return f"{digits[:2]}-{digits[2:-1]}-{digits[-1]}"


def _check_digit(digits: str) -> int:
    """Return the expected check digit; no CUIT has 10, so no digit matches it."""
    weighted = zip(CUIT_WEIGHTS, digits, strict=False)
    return -sum(weight * int(digit) for weight, digit in weighted) % 11


def _data_fiscal_url(read: Values) -> str:
    """Read the address behind AFIP's QR code; its query names the seller."""
    value = read.text("SELLER_DATA_FISCAL_URL")
    if not value:
        return ""
    if not _is_https_link(value):
        raise ImproperlyConfigured(
            "SELLER_DATA_FISCAL_URL must be the https:// address behind AFIP's QR code."
        )
    return value


def _is_https_link(value: str) -> bool:
    try:
        parts = urlsplit(value)
    except ValueError:  # half an IPv6 address
        return False
    is_plain = value.isascii() and value.isprintable() and " " not in value
    return parts.scheme == "https" and bool(parts.hostname) and not parts.username and is_plain
