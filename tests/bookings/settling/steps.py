"""What the tests of settling do and look at."""

from bookings.domain.checkout.settling import settle
from bookings.models import Payment
from tests.payments import PRICE

PESOS = PRICE / 100


def look(payment):
    """Settle a payment and read it again."""
    settle(payment.preference_id)
    return Payment.objects.select_related("virtual_class").get(pk=payment.pk)
