"""Payments as a table for a spreadsheet."""

import csv
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from django.http import StreamingHttpResponse
from django.utils import timezone

from bookings.models import Payment

HEADER = [
    "Creado",
    "Aprobado",
    "Estado",
    "A revisar",
    "Estudiante",
    "Correo",
    "Clase",
    "Monto",
    "Devuelto",
    "Moneda",
    "Operaciones",
    "Preferencia",
    "Referencia",
]
# A spreadsheet computes a text that begins with one of these.
FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
# Excel reads UTF-8 only with it.
BYTE_ORDER_MARK = "\ufeff"


class _Echo:
    """A file whose ``write`` returns its argument."""

    def write(self, text: str) -> str:
        return text


def export_payments(payments: Iterable[Payment]) -> StreamingHttpResponse:
    """Answer with the payments, their charges prefetched, row by row.

    Semicolons and decimal commas suit spreadsheets in Argentina.
    """
    response = StreamingHttpResponse(_write(payments), content_type="text/csv; charset=utf-8")
    name = f"pagos-{timezone.localdate():%Y-%m-%d}.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _write(payments: Iterable[Payment]) -> Iterator[str]:
    writer: Any = csv.writer(_Echo(), delimiter=";")
    yield BYTE_ORDER_MARK + writer.writerow(HEADER)
    for payment in payments:
        yield writer.writerow([disarm(cell) for cell in _cells(payment)])


def disarm(cell: str) -> str:
    """Put an apostrophe before a formula."""
    return f"'{cell}" if cell.lstrip(" ").startswith(FORMULA_SIGNS) else cell


def _cells(payment: Payment) -> list[str]:
    charges = list(payment.charges.all())
    virtual_class = payment.virtual_class
    return [
        _moment(payment.created_at),
        _moment(payment.approved_at),
        payment.get_status_display(),
        payment.get_review_display() if payment.review else "",
        payment.user.name,
        payment.user.email,
        _moment(virtual_class.start_time if virtual_class else None),
        _pesos(payment.amount),
        _pesos(sum(charge.refunded_amount for charge in charges)),
        payment.currency,
        " ".join(charge.charge_id for charge in charges),
        payment.preference_id or "",
        payment.reference,
    ]


def _moment(value: datetime | None) -> str:
    return f"{timezone.localtime(value):%Y-%m-%d %H:%M}" if value else ""


def _pesos(centavos: int) -> str:
    return f"{centavos // 100},{centavos % 100:02d}"
