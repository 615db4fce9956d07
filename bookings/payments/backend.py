"""The payment providers; only this module imports their folders."""

from bookings.payments.gateway import PaymentGateway
from bookings.payments.mercadopago.gateway import MercadoPagoGateway

# By the name in our rows, and in the path that takes a provider's notifications.
PROVIDERS: dict[str, type[PaymentGateway]] = {one.name: one for one in (MercadoPagoGateway,)}


def find_provider() -> type[PaymentGateway] | None:
    """Return the provider of new checkouts; None if students pay the teacher by hand."""
    return next((one for one in PROVIDERS.values() if one.is_configured()), None)


def pays_online() -> bool:
    return find_provider() is not None


def get_gateway(provider: str) -> PaymentGateway:
    """Return the gateway to the provider of a row; one by hand if it is not configured any more."""
    known = PROVIDERS.get(provider)
    return known() if known and known.is_configured() else PaymentGateway()
