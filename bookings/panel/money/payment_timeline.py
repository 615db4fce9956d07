"""The timeline of a payment."""

from django.db.models import Q

from bookings.models import (
    Payment,
    PaymentCharge,
    PaymentNotification,
    Refund,
    RefundStatus,
    SignatureState,
)
from bookings.panel.lists import Entry
from bookings.payments.backend import name_provider
from bookings.payments.gateway import CHARGE_TOPIC
from bookings.templatetags.class_times import pesos


def build_timeline(payment: Payment) -> list[Entry]:
    """Oldest first, in three queries."""
    charges = list(payment.charges.all())
    refunds = Refund.objects.filter(charge__in=charges).select_related("charge", "requested_by")
    of_charges = Q(topic=CHARGE_TOPIC, resource_id__in=[charge.charge_id for charge in charges])
    notices = PaymentNotification.objects.filter(Q(payment=payment) | of_charges)
    entries = [
        *map(_charge, charges),
        *_milestones(payment, charges),
        *[entry for refund in refunds for entry in _refund(refund)],
        *map(_notice, notices),
    ]
    return sorted(entries, key=lambda entry: entry.at)


def _milestones(payment: Payment, charges: list[PaymentCharge]) -> list[Entry]:
    entries = [Entry(payment.created_at, "start", f"Se pidieron {pesos(payment.amount)}")]
    if payment.approved_at:
        # Stored in one transaction with the charges that paid: show the approval after them.
        at = max([payment.approved_at, *[one.seen_at for one in charges if one.counts]])
        entries.append(Entry(at, "good", "El pago quedó aprobado"))
    if payment.reviewed_at:
        entries.append(Entry(payment.reviewed_at, "plain", f"Lo revisó {payment.reviewed_by}"))
    return entries


def _charge(charge: PaymentCharge) -> Entry:
    kinds = {"approved": "good", "rejected": "bad", "charged_back": "bad", "disputed": "bad"}
    details = [charge.method, charge.status_detail]
    if charge.problem:
        details.append(charge.get_problem_display())
    if charge.refunded_amount:
        details.append(f"devuelto {pesos(charge.refunded_amount)}")
    if charge.currency != charge.payment.currency:
        details.append(charge.currency)
    return Entry(
        charge.seen_at,
        kinds.get(charge.status, "plain"),
        f"Operación {charge.charge_id}: {pesos(charge.amount)}, "
        f"{charge.get_status_display().lower()}",
        ", ".join(filter(None, details)),
    )


def _refund(refund: Refund) -> list[Entry]:
    who = f"pidió {refund.requested_by}" if refund.requested_by else ""
    attempts = f"{refund.attempts} intentos fallidos" if refund.attempts else ""
    details = ", ".join(filter(None, [refund.get_reason_display(), who, attempts, refund.failure]))
    what = f"Devolución de {pesos(refund.amount)} de la operación {refund.charge}"
    if refund.is_by_hand:
        what = f"{what}, en efectivo"
    asked = Entry(refund.created_at, "plain", f"{what}: pedida", details)
    if refund.done_at:
        return [asked, Entry(refund.done_at, "good", f"{what}: hecha", refund.refund_id)]
    if refund.status == RefundStatus.FAILED:
        return [Entry(refund.created_at, "bad", f"{what}: rechazada", details)]
    return [asked]


def _notice(notice: PaymentNotification) -> Entry:
    what = "la operación" if notice.topic == CHARGE_TOPIC else "la orden"
    waiting = "sin leer todavía" if notice.next_attempt_at else ""
    title = f"Aviso de {name_provider(notice.provider)} sobre {what} {notice.resource_id}"
    details = [notice.action, f"firma {notice.get_signature_display().lower()}"]
    if notice.signature == SignatureState.FOUND:
        title, details = f"La búsqueda encontró {what} {notice.resource_id}", []
    details += [waiting, notice.failure]
    return Entry(notice.received_at, "plain", title, ", ".join(filter(None, details)))
