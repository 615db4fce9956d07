"""The money of a payment that went back, and why."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import TextChoices
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from bookings.models import (
    ChargeStatus,
    PaymentCharge,
    Refund,
    RefundReason,
    RefundStatus,
    find_refused,
)
from bookings.payments.backend import PROVIDER_NAME

# Money that went back without a refund of ours.
ELSEWHERE, CHARGEBACK = "elsewhere", "chargeback"
REASONS: dict[str, Promise] = {
    RefundReason.SLOT_LOST: _("El pago llegó cuando el horario ya estaba ocupado."),
    RefundReason.CLASS_OVER: _("El pago llegó cuando la clase ya había pasado."),
    RefundReason.CANCELLED: _("La reserva se canceló."),
    RefundReason.SEAT_LOST: _("El pago llegó cuando no quedaban lugares."),
    RefundReason.CODE_USED_UP: _("El pago llegó cuando el código de descuento ya se había usado."),
    RefundReason.BELOW_MINIMUM: _("No se llegó al mínimo de personas."),
    RefundReason.PAID_TWICE: _("La clase ya estaba pagada, y este pago fue de más."),
    RefundReason.NEVER_BOOKED: _("Después del pago no llegó ninguna reserva."),
    RefundReason.BY_TEACHER: _("Lo decidió tu profe."),
    ELSEWHERE: format_lazy(_("Se devolvió desde la cuenta de {provider}."), provider=PROVIDER_NAME),
    CHARGEBACK: format_lazy(
        _("Hubo un contracargo: el banco o {provider} descontó el pago."), provider=PROVIDER_NAME
    ),
}


class ReturnState(TextChoices):
    UNDERWAY = "underway", _("En camino")
    DONE = "done", _("Devuelto")
    FAILED = "failed", _("No se pudo devolver")


STATES = {
    RefundStatus.REQUESTED: ReturnState.UNDERWAY,
    RefundStatus.IN_PROCESS: ReturnState.UNDERWAY,
    RefundStatus.DONE: ReturnState.DONE,
    RefundStatus.FAILED: ReturnState.FAILED,
}


@dataclass(frozen=True, slots=True)
class ReturnedMoney:
    """amount: centavos. at: of the return, or of its request. is_by_hand: by the teacher."""

    reason: Promise
    amount: int
    state: ReturnState
    at: datetime
    is_by_hand: bool = False


def list_returns(
    charges: Iterable[PaymentCharge], refunds: Iterable[Refund]
) -> list[ReturnedMoney]:
    """List what went back of a payment's charges, is under way, or was refused."""
    ours = sorted(refunds, key=lambda refund: refund.pk)
    return [
        part
        for charge in sorted(charges, key=lambda one: (one.seen_at, one.pk))
        for part in _parts_of(charge, [one for one in ours if one.charge_id == charge.pk])
    ]


def describe_refund(refund: Refund) -> ReturnedMoney:
    return ReturnedMoney(
        reason=REASONS[refund.reason],
        amount=refund.amount,
        state=STATES[RefundStatus(refund.status)],
        at=refund.done_at or refund.created_at,
        is_by_hand=refund.is_by_hand,
    )


def _parts_of(charge: PaymentCharge, refunds: list[Refund]) -> Iterator[ReturnedMoney]:
    owed, _rest = find_refused(charge, refunds)
    for refund in refunds:
        if refund.status != RefundStatus.FAILED or refund == owed:
            yield describe_refund(refund)
    if charge.status == ChargeStatus.CHARGED_BACK:
        rest, reason = charge.amount - charge.refunded_amount, CHARGEBACK
    else:
        rest, reason = charge.refunded_elsewhere, ELSEWHERE
    if rest > 0:
        at = charge.provider_updated_at
        yield ReturnedMoney(REASONS[reason], rest, ReturnState.DONE, at)
