"""Payments for a spreadsheet."""

import csv
from collections.abc import Callable, Iterable
from datetime import datetime

from django.http import HttpResponse
from django.utils import timezone

from bookings.models import Payment

# A spreadsheet computes a text that begins with one of these.
FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
# Excel reads UTF-8 only with it.
BYTE_ORDER_MARK = "\ufeff"


def export_payments(payments: Iterable[Payment]) -> HttpResponse:
    """Semicolons and decimal commas suit spreadsheets in Argentina. Prefetch the charges."""
    response = HttpResponse(BYTE_ORDER_MARK, content_type="text/csv; charset=utf-8")
    name = f"pagos-{timezone.localdate():%Y-%m-%d}.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    writer = csv.writer(response, delimiter=";")
    writer.writerow(COLUMNS)
    for payment in payments:
        writer.writerow(disarm(write(payment)) for write in COLUMNS.values())
    return response


def disarm(cell: str) -> str:
    return f"'{cell}" if cell.lstrip(" ").startswith(FORMULA_SIGNS) else cell


def _moment(value: datetime | None) -> str:
    return f"{timezone.localtime(value):%Y-%m-%d %H:%M}" if value else ""


def _pesos(centavos: int) -> str:
    return f"{centavos // 100},{centavos % 100:02d}"


COLUMNS: dict[str, Callable[[Payment], str]] = {
    "Creado": lambda payment: _moment(payment.created_at),
    "Aprobado": lambda payment: _moment(payment.approved_at),
    "Estado": Payment.get_status_display,
    "A revisar": lambda payment: payment.get_review_display() if payment.review else "",
    "Estudiante": lambda payment: payment.user.name,
    "Correo": lambda payment: payment.user.mail_address,
    "Oferta": lambda payment: str(getattr(payment.virtual_class, "offer", None) or ""),
    "Clase": lambda payment: _moment(getattr(payment.paid_class, "start_time", None)),
    "Monto": lambda payment: _pesos(payment.amount),
    "Descuento": lambda payment: _pesos(getattr(payment.bought, "discount", 0)),
    "Código": lambda payment: str(getattr(payment.bought, "discount_code", None) or ""),
    "Devuelto": lambda payment: _pesos(sum(one.refunded_amount for one in payment.charges.all())),
    "Moneda": lambda payment: payment.currency,
    "Operaciones": lambda payment: " ".join(one.charge_id for one in payment.charges.all()),
    "Preferencia": lambda payment: payment.preference_id or "",
    "Referencia": lambda payment: payment.reference,
}
