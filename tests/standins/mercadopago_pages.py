"""The checkout's pages: what to pay, how it should turn out, and results without a way back."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from html import escape
from zoneinfo import ZoneInfo

from tests.standins.mercadopago_preferences import excludes, has_expired, total_of
from tests.standins.mercadopago_values import Json, parse_moment, pesos
from tests.standins.pages import page

PROVIDER = "Mercado Pago"
ZONE = ZoneInfo("America/Argentina/Buenos_Aires")
STATUSES = {
    "approved": "aprobado",
    "authorized": "autorizado",
    "pending": "pendiente",
    "in_process": "en revisión",
    "in_mediation": "en disputa",
    "rejected": "rechazado",
    "cancelled": "cancelado",
    "refunded": "devuelto",
    "charged_back": "contracargo",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """A way in which a visit to the checkout may end."""

    action: str
    label: str
    note: str = ""


APPROVE = Choice("approve", "Aprobar", "Tarjeta de crédito: se acredita en el momento.")
REJECT = Choice("reject", "Rechazar", "La tarjeta no tiene fondos suficientes.")
PENDING = Choice("pending", "Dejar pendiente (efectivo)", "Se paga después, en un Rapipago.")
TWICE = Choice("twice", "Pagar dos veces", "Dos pagos aprobados de la misma compra.")
LATE = Choice("late", "Pagar tarde", "El pago entra aunque la compra ya venció.")
BACK = Choice("back", "Volver sin pagar")


_CHECKOUT = """<ul class="lines">
{items}
</ul>
<p>{deadline}</p>
{payments}
{error}
<form method="post">
<ul>
{choices}
</ul>
</form>"""

_BUTTON = '<li><button name="{name}" value="{value}">{label}{note}</button></li>'


def offered(preference: Json, now: datetime) -> list[Choice]:
    """Give the ways to pay: after the expiry only late; no cash where it is excluded."""
    if has_expired(preference, now):
        return [LATE]
    cash = [] if excludes(preference, "ticket") else [PENDING]
    return [APPROVE, REJECT, *cash, TWICE]


def checkout_page(
    preference: Json, payments: Sequence[Json], now: datetime, *, error: str = ""
) -> str:
    """Show what is to be paid, and a button for each way it may turn out.

    The form is posted to the page's own address; a script needs only ``action=approve``.
    """
    choices = [*offered(preference, now), BACK]
    buttons = [_credit_button(one["id"]) for one in payments if one["status"] == "pending"]
    buttons += [_dispute_button(one["id"]) for one in payments if one["status"] == "approved"]
    buttons += [_button("action", one.action, one.label, one.note) for one in choices]
    content = _CHECKOUT.format(
        items="\n".join(_item(item) for item in preference["items"]),
        deadline=_deadline(preference, now),
        payments=_history(payments),
        error=f'<p class="error" role="alert">{escape(error)}</p>' if error else "",
        choices="\n".join(buttons),
    )
    return page(PROVIDER, f"Pagar {money(total_of(preference))}", content)


def unknown_page() -> str:
    return page(PROVIDER, "No encontramos esta compra", "<p>El enlace de pago no existe.</p>")


def result_page(status: str) -> str:
    """Say how it ended to a buyer who has no address to return to."""
    title = f"Pago {STATUSES[status]}" if status else "No pagaste"
    return page(PROVIDER, title, "<p>Ya podés cerrar esta página.</p>")


def money(amount: Decimal) -> str:
    """Write an amount of pesos as Argentina does: ``$ 12.500,50``, never parted."""
    text = f"{amount:,.2f}" if amount % 1 else f"{amount:,.0f}"
    return "$\N{NO-BREAK SPACE}" + text.translate(str.maketrans(",.", ".,"))


def _credit_button(payment_id: int) -> str:
    note = f"El efectivo del pago {payment_id} llega ahora."
    return _button("credit", str(payment_id), "Acreditar el pago pendiente", note)


def _button(name: str, value: str, label: str, note: str) -> str:
    small = f"<small>{escape(note)}</small>" if note else ""
    return _BUTTON.format(name=name, value=escape(value), label=escape(label), note=small)


def _dispute_button(payment_id: int) -> str:
    note = f"Quien hizo el pago {payment_id} dice que no corresponde."
    return _button("dispute", str(payment_id), "Desconocer el pago", note)


def _item(item: Json) -> str:
    price = money(pesos(item["unit_price"]) * item["quantity"])
    text = f"{item['quantity']} × {escape(item['title'])}: {price}"
    return f"<li>{text}<small>{escape(item['description'])}</small></li>"


def _deadline(preference: Json, now: datetime) -> str:
    end = parse_moment(preference["expiration_date_to"]) if preference["expires"] else None
    if end is None:
        return "Sin vencimiento."
    local = end.astimezone(ZONE)
    moment = f'<time datetime="{local.isoformat()}">{local:%d/%m/%Y %H:%M}</time>'
    return f"{'Venció' if now >= end else 'Vence'} el {moment}."


def _history(payments: Sequence[Json]) -> str:
    lines = [
        f"<li>N.º {payment['id']}: {money(pesos(payment['transaction_amount']))}, "
        f"{STATUSES[payment['status']]}</li>"
        for payment in payments
    ]
    return "\n".join(["<h2>Pagos de esta compra</h2>", "<ul>", *lines, "</ul>"]) if lines else ""
