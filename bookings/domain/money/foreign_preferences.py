"""Preferences that another system made."""

from contextlib import suppress

from django.utils import timezone

from bookings.domain.exceptions import NoPriceError
from bookings.domain.money.prices import find_list_price
from bookings.domain.money.quotes import Quote
from bookings.models import ClassType, Payment, PaymentStatus, VirtualClass
from bookings.payments.backend import PROVIDER


def adopt_payment(virtual_class: VirtualClass) -> Payment | None:
    """Store a payment; None if the class is free, published or has no preference."""
    amount, purchase = virtual_class.class_price, virtual_class.purchase
    quote = Quote(
        virtual_class.start_time,
        virtual_class.end_time,
        virtual_class.class_type == ClassType.GROUP,
        virtual_class.max_participants,
        amount,
    )
    with suppress(NoPriceError):
        # The list's price, if that is higher: the client named the other one.
        amount = max(amount, find_list_price(quote))
    if amount == 0 or purchase is None or not virtual_class.has_preference:
        return None
    return Payment.objects.get_or_create(
        provider=PROVIDER,
        preference_id=virtual_class.preference_id,
        defaults={
            "purchase": purchase,
            "amount": amount,
            "made_elsewhere": True,
            "status": PaymentStatus.PENDING,
            "next_check_at": timezone.now(),
        },
    )[0]
