"""What tests of payments share: classes that wait for one, and notices by Django's test client."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from django.test import Client
from django.utils import timezone

from accounts.models import User
from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.money.checkouts import make_preference, open_checkout
from bookings.domain.money.prices import Quote
from bookings.domain.money.refunds import request_partial_refund
from bookings.domain.sales.settling import settle
from bookings.models import Payment, PaymentCharge, Refund, VirtualClass
from tests.booking import book_class
from tests.standins.mercadopago.notices import Letter

PRICE = 2_400_000


def make_payment(user: User, *, days: int = 7, booked: bool = True, **changes: Any) -> Payment:
    """Ask for the payment of a group class of three, and book it unless told otherwise."""
    start = (timezone.now() + timedelta(days=days)).replace(minute=0, second=0, microsecond=0)
    quote = Quote(start, start + timedelta(hours=1), True, 3, changes.pop("price", PRICE))
    kept_until = timezone.now() + timedelta(minutes=15)
    payment = open_checkout(user=user, quote=quote, kept_until=kept_until)
    make_preference(payment, quote)
    if booked:
        book_class(
            user=user,
            start=quote.start,
            end=quote.end,
            is_group_class=quote.is_group_class,
            students_count=quote.students_count,
            price=quote.price,
            preference_id=payment.preference_id or "",
        )
    payment.refresh_from_db()
    return payment


def make_paid_class(user: User, mercadopago: Any) -> VirtualClass:
    """Book a class in a week, paid and in the calendar."""
    payment = make_payment(user)
    mercadopago.pay(payment.preference_id)
    settle(payment.preference_id or "")
    return VirtualClass.objects.get(purchases__payment=payment)


def call_off(payment: Payment, by: User) -> VirtualClass:
    """Cancel the class of a payment, as the teacher does who signed in just now."""
    class_id = payment.purchase.virtual_class_id
    assert class_id
    return cancel_class(class_id=class_id, actor=by, fresh_sign_in=True)


def ask_for_part(charge: PaymentCharge, amount: int, by: User, *, left: int = PRICE) -> Refund:
    """Give back centavos of a charge, as the teacher does who signed in just now."""
    return request_partial_refund(
        charge_id=charge.pk, amount=amount, left=left, by=by, fresh_sign_in=True
    )


def posting(client: Client) -> Any:
    """Give what ``MercadoPagoStandin.deliver`` posts letters by."""

    def post(letter: Letter) -> int:
        parts = urlsplit(letter.url)
        headers = {name: value for name, value in letter.headers.items() if name != "Content-Type"}
        response = client.post(
            f"{parts.path}?{parts.query}",
            letter.body,
            content_type="application/json",
            headers=headers,
        )
        return response.status_code

    return post
