"""Which gateway is in use."""

from django.conf import settings

from bookings.payments.gateway import PaymentGateway
from bookings.payments.manual import ManualGateway


def is_provider_configured() -> bool:
    """Whether payments are settled by the provider rather than by the teacher's word."""
    return bool(settings.MERCADOPAGO_ACCESS_TOKEN)


def get_gateway() -> PaymentGateway:
    """Give the provider's gateway when there are credentials, else the manual one."""
    if not is_provider_configured():
        return ManualGateway()
    # The SDK is imported only where it is used.
    from bookings.payments.mercadopago import MercadoPagoGateway

    return MercadoPagoGateway(settings.MERCADOPAGO_ACCESS_TOKEN)
