"""Mercado Pago's checkout: the page behind ``init_point``, and the way back to the shop."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from html import escape
from typing import ClassVar
from zoneinfo import ZoneInfo

from tests.standins.mercadopago.account import CHECKOUT
from tests.standins.mercadopago.api import MercadoPagoApi
from tests.standins.mercadopago.preferences import (
    excludes,
    has_expired,
)
from tests.standins.mercadopago.rows import Json, Status, parse_moment, pesos, total_of
from tests.standins.messages import (
    RecordedRequest,
    RefusedError,
    Reply,
    page_reply,
    redirect_reply,
)
from tests.standins.server import Route, route
from tests.standins.sign_in import page, style_reply, with_query


class MercadoPagoCheckout(MercadoPagoApi):
    """Lets a person decide in a browser how a payment turns out."""

    routes: ClassVar[tuple[Route, ...]] = (
        *MercadoPagoApi.routes,
        route("checkout", "GET", CHECKOUT, "_show_checkout"),
        route("checkout", "POST", CHECKOUT, "_check_out"),
        route("style", "GET", "/style.css", "_style"),
    )

    def _show_checkout(self, request: RecordedRequest, error: str = "") -> Reply:
        preference = self._shown_preference(request)
        payments = self._payments_of(preference)
        page = checkout_page(preference, payments, self.now(), error=error)
        return page_reply(page, 400 if error else 200)

    def _check_out(self, request: RecordedRequest) -> Reply:
        """Let the buyer's choice happen, and send the buyer back to the shop."""
        preference = self._shown_preference(request)
        form = request.form
        action = form.get("action", "")
        if action == "back":
            return _way_back(preference, None)
        if "credit" in form:
            payment = self._move(preference, form["credit"], "pending", "approved")
        elif "dispute" in form:
            payment = self._move(preference, form["dispute"], "approved", "in_mediation")
        else:
            payment = self._buy(preference, action)
        if payment:
            return _way_back(preference, payment)
        expired = has_expired(preference, self.now())
        error = "La compra venció: ya no se puede pagar." if expired else "Elegí una opción."
        return self._show_checkout(request, error)

    def _buy(self, preference: Json, action: str) -> Json | None:
        """Pay as the buyer chose; None when that is not, or no longer, on offer."""
        preference_id = preference["id"]
        if action not in {choice.action for choice in offered(preference, self.now())}:
            return None
        if action == "reject":
            return self.pay(preference_id, "rejected")
        if action == "pending":
            return self.pay(preference_id, "pending", method="ticket")
        if action == "twice":
            self.pay(preference_id)
        return self.pay(preference_id)

    def _move(
        self, preference: Json, payment_id: str, before: Status, after: Status
    ) -> Json | None:
        """Let the cash arrive or a dispute begin; None if the payment is in another state."""
        for payment in self._payments_of(preference):
            if str(payment["id"]) == payment_id and payment["status"] == before:
                return self.settle(payment["id"], after)
        return None

    def _shown_preference(self, request: RecordedRequest) -> Json:
        preference = self._preferences.get(request.query.get("pref_id", ""))
        if preference is None:
            raise RefusedError(page_reply(unknown_page(), 404))
        return preference

    def _payments_of(self, preference: Json) -> list[Json]:
        orders = (row for row in self._orders.rows() if row["preference_id"] == preference["id"])
        ids = {str(order["id"]) for order in orders}
        return [row for row in self._payments.rows() if row["order"]["id"] in ids]

    def _style(self, request: RecordedRequest) -> Reply:
        return style_reply()


def _way_back(preference: Json, payment: Json | None) -> Reply:
    """Send the buyer to one of the back_urls, with what Mercado Pago adds: ``null`` is a text."""
    status = payment["status"] if payment else ""
    side = {"approved": "success", "pending": "pending"}.get(status, "failure")
    url = preference["back_urls"][side]
    if not url:
        return page_reply(result_page(status))
    paid = payment or {}
    payment_id = str(paid.get("id", "null"))
    return redirect_reply(
        with_query(
            url,
            collection_id=payment_id,
            collection_status=status or "null",
            payment_id=payment_id,
            status=status or "null",
            external_reference=preference["external_reference"] or "null",
            payment_type=paid.get("payment_type_id", "null"),
            merchant_order_id=paid["order"]["id"] if paid else "null",
            preference_id=preference["id"],
            site_id=preference["site_id"],
            processing_mode="aggregator",
            merchant_account_id="null",
        )
    )


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
