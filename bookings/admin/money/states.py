"""The state of a payment, as lists, pages and files of the panel name it."""

from bookings.models import Payment, PaymentStatus

BY_HAND = "A mano"
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


def look_of(payment: Payment) -> str:
    """Return the class's state whose colour it has."""
    if payment.is_paid_by_hand:
        return "scheduled"
    return BADGES.get(PaymentStatus(payment.status), "completed")


def name_state(payment: Payment) -> str:
    return BY_HAND if payment.is_paid_by_hand else payment.get_status_display()
