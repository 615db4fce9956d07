"""Payments at the provider: opened for a purchase, adopted from another system, and closed."""

import logging
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from urllib.parse import urljoin

from babel.dates import format_datetime
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from bookings.domain.batches import work_through
from bookings.domain.exceptions import NoPriceError
from bookings.domain.money.prices import Quote, find_list_price
from bookings.domain.queries import list_overlapping_scheduled
from bookings.models import (
    ChargeStatus,
    ClassStatus,
    ClassType,
    MoneyWay,
    Payment,
    PaymentCharge,
    PaymentStatus,
    Purchase,
    PurchaseKind,
    PurchaseState,
    VirtualClass,
)
from bookings.money_state import Money, MoneyState
from bookings.payments.backend import find_provider, get_gateway
from bookings.payments.gateway import (
    PaymentError,
    PaymentRefusedError,
    PaymentUnavailableError,
    PreferenceDraft,
)

logger = logging.getLogger(__name__)


def open_checkout(
    *, user: User, quote: Quote, kept_until: datetime, by_teacher: bool = False
) -> Payment | None:
    """Store the purchase of a class that is booked later, and its checkout; None without payments
    online.
    """
    if find_provider() is None:
        return None
    purchase = Purchase.objects.create(
        person=user,
        kind=PurchaseKind.CLASS,
        price=quote.price,
        kept_until=kept_until,
        kept_for=MoneyWay.ONLINE,
        by_teacher=by_teacher,
    )
    return open_payment(purchase, quote)


def open_payment(purchase: Purchase, quote: Quote) -> Payment | None:
    """Store the checkout of a purchase; it expires when the purchase is no longer kept.

    None for a free purchase, and without payments online.
    """
    provider = find_provider()
    if provider is None or purchase.is_free:
        return None
    return Payment.objects.create(
        purchase=purchase,
        provider=provider.name,
        amount=quote.price,
        quote=quote.to_json(),
        expires_at=purchase.kept_until,
    )


def make_preference(
    payment: Payment, quote: Quote, *, title: str = "", return_page: str = "/inicio/pagos"
) -> Payment:
    """Call outside of transactions. Raises PaymentError; the payment is over then.

    Of two requests at once for one payment, both return the preference that was stored first.
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
        notification_url=urljoin(settings.BASE_URL, f"/api/webhooks/{payment.provider}"),
        cash_until=cash_until if start - now > settings.CASH_NOTICE else None,
    )
    unmade = Payment.objects.filter(pk=payment.pk, preference_id=None)
    try:
        preference_id, checkout_url = get_gateway(payment.provider).create_preference(draft)
    except PaymentError:  # it counts towards no limit
        if unmade.update(expires_at=now):
            Purchase.objects.filter(pk=payment.purchase_id).update(kept_until=now)
            raise
    else:
        made_at = timezone.now()
        # The provider's other preference is never shown; its money has the same reference.
        unmade.update(
            preference_id=preference_id,
            checkout_url=checkout_url,
            status=PaymentStatus.PENDING,
            next_check_at=made_at + timedelta(minutes=1),
            updated_at=made_at,
        )
    fields = ["preference_id", "checkout_url", "status", "next_check_at", "updated_at"]
    payment.refresh_from_db(fields=fields)
    return payment


@transaction.atomic
def lapse_unbooked(payment: Payment) -> None:
    """End a checkout that no page showed and that pays no class; it counts towards no limit.

    A notification of money still finds the payment, which is then refunded as never booked.
    """
    now = timezone.now()
    unbooked = Purchase.objects.filter(
        pk=payment.purchase_id, virtual_class=None, state=PurchaseState.KEPT
    )
    if unbooked.update(state=PurchaseState.LAPSED, kept_until=now, updated_at=now):
        Payment.objects.filter(pk=payment.pk, approved_at=None).update(
            status=PaymentStatus.EXPIRED, expires_at=now, next_check_at=None, updated_at=now
        )


@transaction.atomic
def delete_unbooked(payment: Payment) -> None:
    """Delete a checkout that no page showed and that pays no class, unless money is on its way."""
    unbooked = Purchase.objects.select_for_update().filter(
        pk=payment.purchase_id, virtual_class=None
    )
    purchase = unbooked.first()
    if purchase is not None and not payment.charges.exists():
        Payment.objects.filter(pk=payment.pk).delete()
        purchase.delete()


def find_by_preference(preference_id: str) -> Payment | None:
    return Payment.objects.filter(preference_id=preference_id).order_by("created_at").first()


def find_or_adopt(preference_id: str) -> Payment | None:
    """Return the payment of a preference; adopt a foreign one."""
    if payment := find_by_preference(preference_id):
        return payment
    virtual_class = VirtualClass.objects.filter(preference_id=preference_id).first()
    return adopt_payment(virtual_class) if virtual_class else None


def adopt_payment(virtual_class: VirtualClass) -> Payment | None:
    """Store a payment; None if the class is free, published or has no preference, and without
    payments online.
    """
    provider = find_provider()
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
    if provider is None or amount == 0 or purchase is None or not virtual_class.has_preference:
        return None
    return Payment.objects.get_or_create(
        provider=provider.name,
        preference_id=virtual_class.preference_id,
        defaults={
            "purchase": purchase,
            "amount": amount,
            "made_elsewhere": True,
            "status": PaymentStatus.PENDING,
            "next_check_at": timezone.now(),
        },
    )[0]


def cancel_dead_charges(payment: Payment) -> None:
    """Call outside of transactions. The next settling retries what fails."""
    charges = list(payment.charges.filter(status=ChargeStatus.PENDING))
    if not charges or not _is_dead(payment):
        return
    if work_through(charges, _cancel_charge, outage=PaymentUnavailableError, name="Charge"):
        # The next sweep reads their new state.
        Payment.objects.filter(pk=payment.pk).update(next_check_at=timezone.now())


def _cancel_charge(charge: PaymentCharge) -> bool:
    try:
        get_gateway(charge.provider).cancel(charge.charge_id)
    except PaymentRefusedError as error:
        logger.warning("Charge %s is not cancelled: %s", charge.charge_id, error)
        return False
    return True


def find_checkout_url(money: Money) -> str:
    """Return where the whole price may be paid online now; empty if it may not be."""
    payment, purchase = money.payment, money.purchase
    is_whole = money.may_pay and money.state is not MoneyState.SHORT
    if payment is None or not is_whole or payment.has_expired(money.now):
        return ""
    booked = None if purchase.is_place else purchase.virtual_class
    is_time_taken = booked is not None and list_overlapping_scheduled(booked).exists()
    return "" if is_time_taken else payment.checkout_url


def _is_dead(payment: Payment) -> bool:
    current = Payment.objects.select_related("purchase__virtual_class").get(pk=payment.pk)
    if current.approved_at is not None:
        return True
    purchase = current.purchase
    booked = purchase.virtual_class
    if booked is None:
        return datetime.fromtimestamp(current.quote["end"], UTC) <= timezone.now()
    if purchase.is_given_up:
        return True
    if purchase.is_place:
        return _is_place_dead(purchase, booked)
    if booked.status in {ClassStatus.CANCELLED, ClassStatus.COMPLETED}:
        return True
    if booked.is_scheduled:  # confirmed by hand, perhaps for this very money
        return False
    # A time that is only held may become free again.
    return booked.has_ended() or list_overlapping_scheduled(booked).exists()


def _is_place_dead(purchase: Purchase, booked: VirtualClass) -> bool:
    if purchase.state == PurchaseState.PAID:  # confirmed by hand, perhaps for this very money
        return False
    return not booked.is_scheduled or (booked.is_full and not purchase.is_kept())
