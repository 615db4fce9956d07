"""The payment provider in use; the only importer of its folder."""

from collections.abc import Mapping

from django.conf import settings

from bookings.payments.gateway import IncomingNotification, PaymentGateway
from bookings.payments.manual import ManualGateway
from bookings.payments.mercadopago import notifications

# The provider's name in our rows and in the path that takes its notifications.
PROVIDER = "mercadopago"


def is_provider_configured() -> bool:
    """Return False if the teacher confirms payments by hand."""
    return bool(settings.MERCADOPAGO_ACCESS_TOKEN)


def get_gateway() -> PaymentGateway:
    if not is_provider_configured():
        return ManualGateway()
    from bookings.payments.mercadopago.gateway import MercadoPagoGateway  # loads the SDK

    return MercadoPagoGateway(settings.MERCADOPAGO_ACCESS_TOKEN)


def read_notification(
    query: Mapping[str, str], headers: Mapping[str, str], body: bytes
) -> IncomingNotification | None:
    """Return None if it names nothing that can be looked up."""
    return notifications.read_notification(query, headers, body)
