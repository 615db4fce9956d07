"""Mercado Pago's checkout: the page behind ``init_point``, and the way back to the shop."""

from typing import ClassVar

from tests.standins.mercadopago_account import CHECKOUT
from tests.standins.mercadopago_api import MercadoPagoApi
from tests.standins.mercadopago_pages import checkout_page, offered, result_page, unknown_page
from tests.standins.mercadopago_payments import Status
from tests.standins.mercadopago_preferences import has_expired
from tests.standins.mercadopago_values import Json
from tests.standins.messages import (
    RecordedRequest,
    RefusedError,
    Reply,
    page_reply,
    redirect_reply,
)
from tests.standins.oauth import with_query
from tests.standins.pages import style_reply
from tests.standins.server import Route, route


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
