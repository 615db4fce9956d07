"""The payment providers; only this module imports their folders."""

from django.utils.functional import lazy

from bookings.payments.gateway import PaymentGateway
from bookings.payments.mercadopago.gateway import MercadoPagoGateway

# By the name in our rows, and in the path that takes a provider's notifications.
PROVIDERS: dict[str, type[PaymentGateway]] = {one.name: one for one in (MercadoPagoGateway,)}


def find_provider() -> type[PaymentGateway] | None:
    """Return the provider of new checkouts; None if students pay the teacher by hand."""
    return next((one for one in PROVIDERS.values() if one.is_configured()), None)


def pays_online() -> bool:
    return find_provider() is not None


def name_provider(provider: str | None = None) -> str:
    """Return a provider's name for people, by default that of new checkouts."""
    chosen = PROVIDERS.get(provider or "") or find_provider() or next(iter(PROVIDERS.values()))
    return chosen.label


# For texts that are written before the settings are read.
PROVIDER_NAME = lazy(name_provider, str)()


def get_gateway(provider: str) -> PaymentGateway:
    """Return the gateway to the provider of a row; one by hand if it is not configured any more."""
    known = PROVIDERS.get(provider)
    return known() if known and known.is_configured() else PaymentGateway()
