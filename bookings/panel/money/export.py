"""Payments, and the money of a month, for a spreadsheet."""

import csv
import re
from collections.abc import Callable, Iterable
from datetime import date, datetime
from typing import TypeVar

from django.http import HttpResponse
from django.utils import timezone

from bookings.domain.money.takings import list_entries_of
from bookings.models import Entry, EntryKind, Payment, Purchase
from bookings.money_state import describe_money
from bookings.payments.backend import name_provider

Row = TypeVar("Row")

# A spreadsheet computes a text that begins with one of these signs. A separator that it splits at,
# other than ours, begins another cell.
FORMULA = re.compile(r"(^|[,;\t\r\n])(?= *[-=+@\t\r\n＝＋－＠])")
# Excel reads UTF-8 only with it.
BYTE_ORDER_MARK = "\ufeff"


def export_payments(payments: Iterable[Payment]) -> HttpResponse:
    """Prefetch the charges, and the purchases ``with_money``."""
    return _export(f"pagos-{timezone.localdate():%Y-%m-%d}.csv", COLUMNS, payments)


def export_takings(month: date) -> HttpResponse:
    """All money of a month, also what was paid by hand. Raises OverflowError."""
    return _export(f"ingresos-{month:%Y-%m}.csv", MONTH_COLUMNS, list_entries_of(month))


def _export(
    name: str, columns: dict[str, Callable[[Row], str]], rows: Iterable[Row]
) -> HttpResponse:
    """Semicolons and decimal commas suit spreadsheets in Argentina."""
    response = HttpResponse(BYTE_ORDER_MARK, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    writer = csv.writer(response, delimiter=";", quoting=csv.QUOTE_ALL)
    writer.writerow(columns)
    for row in rows:
        writer.writerow(disarm(write(row)) for write in columns.values())
    return response


def disarm(cell: str) -> str:
    return FORMULA.sub(r"\1'", cell)


def _moment(value: datetime | None) -> str:
    return f"{timezone.localtime(value):%Y-%m-%d %H:%M}" if value else ""


def _pesos(centavos: int) -> str:
    return f"{'-' * (centavos < 0)}{abs(centavos) // 100},{abs(centavos) % 100:02d}"


def _start(purchase: Purchase) -> str:
    return _moment(getattr(purchase.virtual_class, "start_time", None))


def _offer(purchase: Purchase) -> str:
    return str(getattr(purchase.virtual_class, "offer", None) or "")


def _name_state(purchase: Purchase) -> str:
    return describe_money(purchase, timezone.now()).report


def _way(one: Entry) -> str:
    return name_provider(one.charge.provider) if one.charge else one.get_way_display()


def _operation(entry: Entry) -> str:
    if entry.charge:
        return entry.charge.charge_id
    return entry.transfer.operation_number if entry.transfer else ""


def _sum_gone(purchase: Purchase) -> int:
    """Return what went back, and what a bank took back."""
    gone = (one for one in purchase.entries.all() if one.kind != EntryKind.PAYMENT)
    return -sum(one.amount for one in gone)


COLUMNS: dict[str, Callable[[Payment], str]] = {
    "Creado": lambda payment: _moment(payment.created_at),
    "Pagado": lambda payment: _moment(payment.approved_at or payment.purchase.paid_at),
    "Estado": lambda payment: _name_state(payment.purchase),
    "A revisar": lambda payment: payment.get_review_display() if payment.review else "",
    "Estudiante": lambda payment: payment.purchase.person.name,
    "Correo": lambda payment: payment.purchase.person.mail_address,
    "Oferta": lambda payment: _offer(payment.purchase),
    "Clase": lambda payment: _start(payment.purchase),
    "Monto": lambda payment: _pesos(payment.amount),
    "Descuento": lambda payment: _pesos(payment.purchase.discount),
    "Código": lambda payment: payment.purchase.discount_name,
    "Devuelto": lambda payment: _pesos(_sum_gone(payment.purchase)),
    "Moneda": lambda payment: payment.currency,
    "Operaciones": lambda payment: " ".join(one.charge_id for one in payment.charges.all()),
    "Preferencia": lambda payment: payment.preference_id or "",
    "Referencia": lambda payment: payment.reference,
}
MONTH_COLUMNS: dict[str, Callable[[Entry], str]] = {
    "Fecha": lambda one: _moment(one.at),
    "Cómo": _way,
    "Estudiante": lambda one: one.purchase.person.name,
    "Correo": lambda one: one.purchase.person.mail_address,
    "Oferta": lambda one: _offer(one.purchase),
    "Clase": lambda one: _start(one.purchase),
    "Estado": lambda one: _name_state(one.purchase),
    "Recibido": lambda one: _pesos(one.amount if one.kind == EntryKind.PAYMENT else 0),
    "Devuelto": lambda one: _pesos(0 if one.kind == EntryKind.PAYMENT else -one.amount),
    "Operación": _operation,
}
