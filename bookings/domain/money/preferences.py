"""Payments, and their preferences at the provider."""

import uuid
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urljoin

from babel.dates import format_datetime
from django.conf import settings
from django.utils import timezone

from accounts.models import User
from bookings.domain.money.quotes import Quote
from bookings.models import MoneyWay, Payment, PaymentStatus, Purchase, PurchaseKind
from bookings.payments.backend import PROVIDER, get_gateway
from bookings.payments.gateway import PaymentError, PreferenceDraft


def open_checkout(
    *, user: User, quote: Quote, kept_until: datetime, by_teacher: bool = False
) -> Payment:
    """Store the purchase of a class that is booked later, and its checkout."""
    purchase = Purchase.objects.create(
        person=user,
        kind=PurchaseKind.CLASS,
        price=quote.price,
        kept_until=kept_until,
        kept_for=MoneyWay.ONLINE,
        by_teacher=by_teacher,
    )
    return open_payment(purchase, quote)


def open_payment(purchase: Purchase, quote: Quote) -> Payment:
    """Store the checkout of a purchase; it expires when the purchase is no longer kept."""
    return Payment.objects.create(
        purchase=purchase,
        provider=PROVIDER,
        amount=quote.price,
        quote=quote.to_json(),
        expires_at=purchase.kept_until,
    )


def describe_preference(payment: Payment | None) -> dict[str, Any]:
    """Return fields of ``BookingRequest``; without a payment, an id of our own."""
    if payment is None:
        return {"preference_id": f"manual-{uuid.uuid4()}", "has_preference": False}
    return {"preference_id": payment.preference_id, "has_preference": True}


def make_preference(
    payment: Payment, quote: Quote, *, title: str = "", return_page: str = "/inicio/pagos"
) -> Payment:
    """Call outside of transactions. Raises PaymentError; the payment is over then.

    title: the kind of class if empty. return_page: without the payment's id.
    """
    start, now = timezone.localtime(quote.start), timezone.now()
    # A voucher that is paid by then is credited before the class.
    cash_until = min(now + settings.CASH_NOTICE, quote.start - settings.CASH_CREDIT)
    draft = PreferenceDraft(
        reference=payment.reference,
        title=title or f"Clase {quote.class_type.label.lower()}",
        description=format_datetime(start, "EEEE d 'de' MMMM, HH:mm", locale="es_AR"),
        amount=quote.price,
        payer_name=payment.purchase.person.name,
        payer_email=payment.purchase.person.mail_address,
        expires_at=payment.expires_at or start,
        return_url=urljoin(settings.BASE_URL, f"{return_page}/{payment.pk}"),
        notification_url=urljoin(settings.BASE_URL, f"/api/webhooks/{PROVIDER}"),
        cash_until=cash_until if start - now > settings.CASH_NOTICE else None,
    )
    try:
        payment.preference_id, payment.checkout_url = get_gateway().create_preference(draft)
    except PaymentError:  # it counts towards no limit
        Payment.objects.filter(pk=payment.pk).update(expires_at=now)
        Purchase.objects.filter(pk=payment.purchase_id).update(kept_until=now)
        raise
    payment.status = PaymentStatus.PENDING
    payment.next_check_at = timezone.now() + timedelta(minutes=1)
    payment.save(
        update_fields=["preference_id", "checkout_url", "status", "next_check_at", "updated_at"]
    )
    return payment
