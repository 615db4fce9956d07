"""The payment provider's settings."""

from dataclasses import dataclass

from django.core.exceptions import ImproperlyConfigured

from config.env.values import Values

API_URL = "https://api.mercadopago.com"
SITES = (
    "https://*.mercadopago.com.ar",
    "https://*.mercadopago.com",
    "https://*.mercadolibre.com.ar",
    "https://*.mercadolibre.com",
)
SIGNATURE_POLICIES = ("require", "prefer")


@dataclass(frozen=True, slots=True, repr=False)
class Payments:
    """The parsed values; prints none. mercadopago_access_token: empty for no online payments."""

    mercadopago_access_token: str
    mercadopago_webhook_secret: str
    mercadopago_webhook_signature: str
    mercadopago_api_url: str
    mercadopago_collector_id: str

    @property
    def checkout_origins(self) -> tuple[str, ...]:
        """Return the checkout's origins; it signs people in at several hosts."""
        return SITES if self.mercadopago_api_url == API_URL else (self.mercadopago_api_url,)


def parse_payments(read: Values, *, local: bool) -> Payments:
    """Read the values. local: allow http. Raises ImproperlyConfigured."""
    access_token = read.text("MERCADOPAGO_ACCESS_TOKEN")
    return Payments(
        mercadopago_access_token=access_token,
        mercadopago_webhook_secret=read.text("MERCADOPAGO_WEBHOOK_SECRET"),
        mercadopago_webhook_signature=read.one_of(
            "MERCADOPAGO_WEBHOOK_SIGNATURE", SIGNATURE_POLICIES
        ),
        mercadopago_api_url=read.address("MERCADOPAGO_API_URL", API_URL, local=local),
        mercadopago_collector_id=_collector_id(read, access_token),
    )


def _collector_id(read: Values, access_token: str) -> str:
    """Return the account that must receive the money; tokens end with it."""
    value = read.text("MERCADOPAGO_COLLECTOR_ID", default=access_token.rpartition("-")[2])
    if access_token and not (value.isascii() and value.isdigit()):
        raise ImproperlyConfigured(
            "MERCADOPAGO_COLLECTOR_ID must be the number of the account that takes the money; "
            "MERCADOPAGO_ACCESS_TOKEN does not end with it."
        )
    return value
