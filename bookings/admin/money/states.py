"""The state of money, as pages, lists and files of the panel name it.

Also a library for templates: ``{% load money_states %}``.
"""

from django import template
from django.db.models import Q
from django.utils.html import format_html

from bookings.domain.money.money_back import find_payment
from bookings.models import (
    BankTransfer,
    ClassStatus,
    Payment,
    PaymentStatus,
    Purchase,
    PurchaseState,
    Refund,
    TransferState,
    VirtualClass,
)
from bookings.templatetags.class_times import clock_near, pesos

register = template.Library()

BY_HAND = "A mano"
PAID, FREE, UNPAID = "Pagada", "Gratis", "Sin pagar"
TO_RETURN, RETURNED = "Para devolver", "Devuelta"
# Of payments that the teacher took herself.
IS_BY_HAND = Q(approved_at=None, purchase__paid_at__isnull=False)
# The class's state whose badge is shown.
BADGES = {
    PaymentStatus.CREATED: "pending",
    PaymentStatus.PENDING: "pending",
    PaymentStatus.REJECTED: "cancelled",
    PaymentStatus.EXPIRED: "expired",
    PaymentStatus.APPROVED: "scheduled",
    PaymentStatus.DISPUTED: "cancelled",
    PaymentStatus.CHARGED_BACK: "cancelled",
}
TRANSFER_BADGES = {
    TransferState.ANNOUNCED: "pending",
    TransferState.CONFIRMED: "scheduled",
    TransferState.REFUSED: "cancelled",
}
# These states of a payment replace "paid".
MONEY_CHANGED = {
    PaymentStatus.PARTIALLY_REFUNDED,
    PaymentStatus.REFUNDED,
    PaymentStatus.DISPUTED,
    PaymentStatus.CHARGED_BACK,
}


def look_of(payment: Payment) -> str:
    """Return the class's state whose colour it has."""
    if _is_by_hand(payment):
        return "scheduled"
    return BADGES.get(PaymentStatus(payment.status), "completed")


@register.filter("payment_state")
def name_state(payment: Payment) -> str:
    return BY_HAND if _is_by_hand(payment) else payment.get_status_display()


@register.filter("money_state")
def name_class_money(virtual_class: VirtualClass) -> str:
    """Prefetch as ``with_purchases``."""
    purchase = virtual_class.purchase
    if purchase is None or purchase.is_free:
        return FREE
    return _find_changed(purchase) or (PAID if purchase.is_paid else UNPAID)


@register.filter("place_state")
def name_place(place: Purchase) -> str:
    payment = find_payment(place)
    if place.is_kept() and place.kept_until:
        return format_html("Pagando, hasta las {}", clock_near(place.kept_until))
    if place.is_unpaid:
        return "No pagó a tiempo"
    if place.state == PurchaseState.LOST:
        return "Sin lugar"
    if place.state == PurchaseState.PAID:
        is_by_hand = payment is None or payment.approved_at is None
        return "Pagado por fuera" if is_by_hand and not place.is_free else "Pagado"
    if payment is not None and payment.status == PaymentStatus.CHARGED_BACK:
        return payment.get_status_display()
    return "Cancelado" if place.booked_class.status == ClassStatus.CANCELLED else "Dejado"


def look_of_transfer(transfer: BankTransfer) -> str:
    """Prefetch its refunds."""
    refunds = _list_returns(transfer)
    if any(one.is_open for one in refunds):
        return "cancelled"
    return "completed" if refunds else TRANSFER_BADGES[TransferState(transfer.state)]


@register.filter("transfer_state")
def name_transfer(transfer: BankTransfer) -> str:
    """``Para devolver $ 7.500`` if a part goes back. Prefetch its refunds."""
    refunds = _list_returns(transfer)
    if not refunds:
        return str(transfer.get_state_display())
    label = TO_RETURN if any(one.is_open for one in refunds) else RETURNED
    amount = sum(one.amount for one in refunds)
    return f"{label} {pesos(amount)}" if amount < transfer.amount else label


def _list_returns(transfer: BankTransfer) -> list[Refund]:
    has_come = transfer.state == TransferState.CONFIRMED
    return list(transfer.refunds.all()) if has_come else []


def _is_by_hand(payment: Payment) -> bool:
    """As IS_BY_HAND."""
    return payment.approved_at is None and payment.purchase.is_paid


def _find_changed(purchase: Purchase) -> str:
    payment = find_payment(purchase)
    if payment is None or not purchase.is_paid or payment.status not in MONEY_CHANGED:
        return ""
    return payment.get_status_display()
