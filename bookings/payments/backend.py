"""The payment provider in use; only this module imports its folder."""

from django.conf import settings

from bookings.payments.gateway import PaymentGateway
from bookings.payments.mercadopago.gateway import MercadoPagoGateway
from bookings.payments.mercadopago.notifications import read_notification

__all__ = ["PROVIDER", "get_gateway", "is_provider_configured", "read_notification"]

# The provider's name in our rows and in the path that takes its notifications.
PROVIDER = "mercadopago"


def is_provider_configured() -> bool:
    return bool(settings.MERCADOPAGO_ACCESS_TOKEN)


def get_gateway() -> PaymentGateway:
    return MercadoPagoGateway() if is_provider_configured() else PaymentGateway()
