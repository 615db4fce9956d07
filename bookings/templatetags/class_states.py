"""The state of a class and of its money, for the teacher."""

from django import template

from bookings.models import (
    BankTransfer,
    ClassStatus,
    Payment,
    PaymentStatus,
    VirtualClass,
)
from bookings.templatetags.class_times import pesos

register = template.Library()

# These states of a payment replace "paid".
MONEY_CHANGED = {
    PaymentStatus.PARTIALLY_REFUNDED,
    PaymentStatus.REFUNDED,
    PaymentStatus.DISPUTED,
    PaymentStatus.CHARGED_BACK,
}


PAID, FREE, UNPAID = "Pagada", "Gratis", "Sin pagar"


@register.filter
def class_state(virtual_class: VirtualClass) -> str:
    if virtual_class.is_undecided:
        return "Espera tu sí"
    if virtual_class.status != ClassStatus.PENDING:
        return str(virtual_class.get_status_display())
    return "Pagada sin agendar" if virtual_class.paid_at else "Espera el pago"


@register.filter
def money_state(virtual_class: VirtualClass) -> str:
    payment: Payment | None = getattr(virtual_class, "payment", None)
    if virtual_class.paid_at and payment and payment.status in MONEY_CHANGED:
        return str(payment.get_status_display())
    if virtual_class.class_price == 0:
        return FREE
    return PAID if virtual_class.paid_at else UNPAID


@register.filter
def transfer_state(transfer: BankTransfer) -> str:
    """``Para devolver $ 7.500`` if a part goes back. transfer: ``with_rest``."""
    label = str(transfer.get_state_display())
    is_part = transfer.goes_back and transfer.amount_back < transfer.amount
    return f"{label} {pesos(transfer.amount_back)}" if is_part else label


@register.filter
def class_badge(virtual_class: VirtualClass) -> str:
    if virtual_class.status == ClassStatus.PENDING and virtual_class.paid_at:
        return "preparing"
    return virtual_class.status
