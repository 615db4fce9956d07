"""The demo's payments at Mercado Pago, made through its stand-in, so that it has them too."""

from dataclasses import replace
from datetime import datetime, timedelta

import requests
from django.utils import timezone

from accounts.models import User
from bookings.domain.classes.booking import BookingRequest, book_class
from bookings.domain.money.charges import record_charges
from bookings.domain.money.checkouts import (
    make_preference,
    open_checkout,
    open_payment,
)
from bookings.domain.money.prices import Quote
from bookings.domain.money.refunds import request_partial_refund, send_refunds_of
from bookings.domain.sales.settling import settle
from bookings.models import Payment, PaymentCharge, Purchase, VirtualClass
from bookings.payments.mercadopago.gateway import MercadoPagoGateway

SECONDS = 10


def book_paid(user: User, quote: Quote, text: str) -> VirtualClass:
    """Book a class to come as its student does: with a payment, which is approved."""
    payment = _ask_to_pay(user, quote)
    request = BookingRequest(quote, payment.preference_id, {"learning_focus": text})
    virtual_class = book_class(user=user, request=request)
    _choose(payment, action="approve")
    return virtual_class


def pay_given(virtual_class: VirtualClass) -> Payment:
    """Let the student pay a class that was given, on the day before it."""
    start = virtual_class.start_time
    quote = Quote(start, virtual_class.end_time, False, 1, virtual_class.class_price)
    purchase = virtual_class.purchase
    assert purchase is not None
    purchase.kept_until = _kept_until()
    payment = make_preference(open_payment(purchase, quote), quote)
    _press(payment, action="approve")
    paid = start - timedelta(days=1)
    reports = MercadoPagoGateway().list_charges(
        preference_id=payment.preference_id or "", reference=payment.reference
    )
    record_charges(payment.pk, [replace(one, approved_at=paid) for one in reports])
    Payment.objects.filter(pk=payment.pk).update(created_at=paid, approved_at=paid)
    PaymentCharge.objects.filter(payment=payment).update(seen_at=paid)
    Purchase.objects.filter(pk=purchase.pk).update(paid_at=paid, kept_until=paid)
    VirtualClass.objects.filter(pk=virtual_class.pk).update(preference_id=payment.preference_id)
    return payment


def give_half_back(payment: Payment, by: User) -> None:
    charge = payment.charges.get()
    request_partial_refund(
        charge_id=charge.pk,
        amount=charge.amount // 2,
        left=charge.amount,
        by=by,
        fresh_sign_in=True,
    )
    send_refunds_of(payment)
    settle(payment.preference_id or "")


def dispute(payment: Payment) -> None:
    _choose(payment, dispute=payment.charges.get().charge_id)


def _ask_to_pay(user: User, quote: Quote) -> Payment:
    payment = open_checkout(user=user, quote=quote, kept_until=_kept_until())
    return make_preference(payment, quote)


def _kept_until() -> datetime:
    # The clock of the stand-in may be a day ahead of the seed's.
    return timezone.now() + timedelta(days=2)


def _choose(payment: Payment, **choice: str) -> None:
    """Press a button of the checkout, and settle what came of it."""
    _press(payment, **choice)
    settle(payment.preference_id or "")


def _press(payment: Payment, **choice: str) -> None:
    answer = requests.post(
        payment.checkout_url, data=choice, allow_redirects=False, timeout=SECONDS
    )
    answer.raise_for_status()
