"""The seller's data, which Argentina's law requires on the site."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from config.env.values import Values

# The weights of the digits; the check digit makes the sum divisible by 11.
CUIT_WEIGHTS = (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)


@dataclass(frozen=True, slots=True)
class Seller:
    """Each may be empty. cuit: as 20-12345678-6. data_fiscal_url: AFIP's page."""

    name: str = ""
    cuit: str = ""
    address: str = ""
    hours: str = ""
    data_fiscal_url: str = ""


def read_seller(env: Values) -> Seller:
    return Seller(
        name=env.text("SELLER_NAME"),
        cuit=_cuit(env.text("SELLER_CUIT")),
        address=env.text("SELLER_ADDRESS"),
        hours=env.text("SELLER_HOURS"),
        data_fiscal_url=_data_fiscal_url(env.text("SELLER_DATA_FISCAL_URL")),
    )


def _cuit(value: str) -> str:
    if not value:
        return ""
    digits = value.replace("-", "").replace(" ", "")
    if not (digits.isascii() and digits.isdigit() and len(digits) == len(CUIT_WEIGHTS) + 1):
        raise ImproperlyConfigured("SELLER_CUIT must have 11 digits, such as 20-12345678-6.")
    weighted = zip(CUIT_WEIGHTS, digits, strict=False)
    # No CUIT has the check digit 10, so no digit matches it.
    if int(digits[-1]) != -sum(weight * int(digit) for weight, digit in weighted) % 11:
        raise ImproperlyConfigured(
            "SELLER_CUIT is mistyped: its last digit does not match the others."
        )
    return f"{digits[:2]}-{digits[2:-1]}-{digits[-1]}"


def _data_fiscal_url(value: str) -> str:
    try:
        parts = urlsplit(value)
    except ValueError:  # half an IPv6 address
        parts = urlsplit("")
    is_plain = value.isascii() and value.isprintable() and " " not in value
    is_link = parts.scheme == "https" and parts.hostname and not parts.username and is_plain
    if value and not is_link:
        raise ImproperlyConfigured(
            "SELLER_DATA_FISCAL_URL must be the https:// address behind AFIP's QR code."
        )
    return value
