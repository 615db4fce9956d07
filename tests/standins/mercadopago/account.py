"""The seller's account at Mercado Pago: its preferences, payments, orders, refunds and notices."""

import copy
import itertools
import uuid
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Literal

from tests.standins.mercadopago.notices import Correspondent, Notice
from tests.standins.mercadopago.preferences import complete
from tests.standins.mercadopago.rows import (
    Json,
    Method,
    Shelf,
    Status,
    api_error,
    give_back,
    make_order,
    make_payment,
    make_refund,
    move,
    number,
    pesos,
    refundable,
    stamp,
    sum_up,
)
from tests.standins.messages import RefusedError
from tests.standins.server import Standin

ACCESS_TOKEN = "TEST-6295877106812064-112008-standin-1000000001"
CLIENT_ID = "6295877106812064"
COLLECTOR_ID = 1_000_000_001
CHECKOUT = "/checkout/v1/redirect"


class MercadoPagoAccount(Standin):
    """What people and the provider do to the account, without HTTP.

    Settable at any time: ``access_token``, ``collector_id``, ``currency``, ``webhook_secret``
    (signs notices queued from then on; empty: none), ``notification_url`` (where notices go when
    the preference names no address), ``search_lag`` (seconds),
    ``refund_status`` (``approved``, ``in_process`` or ``rejected``, of refunds asked for from then
    on), ``empty_repeats`` (a repeated refund is answered by 200 without a body, which production
    has been seen to do).
    """

    def _forget(self) -> None:
        super()._forget()
        self.access_token = ACCESS_TOKEN
        self.collector_id = COLLECTOR_ID
        self.currency = "ARS"
        self.webhook_secret = ""
        self.notification_url: str | None = None
        self.search_lag: float = 0
        self.refund_status: Literal["approved", "in_process", "rejected"] = "approved"
        self.empty_repeats = False
        self._ahead = timedelta()
        self._preferences: dict[str, Json] = {}
        self._payments = Shelf()
        self._orders = Shelf()
        self._refunds: dict[int, Json] = {}
        self._notices: list[Notice] = []
        self._payment_ids = itertools.count(140_000_000_001)
        self._order_ids = itertools.count(37_000_000_001)
        self._refund_ids = itertools.count(1_800_000_001)
        self._notice_ids = itertools.count(128_000_000_001)

    # --- The clock ----------------------------------------------------------------------------

    def now(self) -> datetime:
        """Give Mercado Pago's time: this machine's, and what it was advanced by."""
        return datetime.now(UTC) + self._ahead

    def advance(self, **units: float) -> None:
        """Let time pass at Mercado Pago: ``advance(minutes=20)``."""
        with self.lock:
            self._ahead += timedelta(**units)

    # --- What a seller, a buyer and the provider do ---------------------------------------------

    def add_preference(self, **fields: Any) -> Json:
        """Make a preference as the API would; without items, one class for 15,000 pesos.

        ValueError: Mercado Pago would refuse it.
        """
        item = {"title": "Clase de Inglés", "quantity": 1, "unit_price": 15000}
        with self.lock:
            try:
                preference = self._make_preference({"items": [item], **fields}, self.url)
            except RefusedError as refusal:
                raise ValueError(str(refusal)) from refusal
            return copy.deepcopy(preference)

    def pay(
        self,
        preference_id: str,
        status: Status = "approved",
        status_detail: str | None = None,
        *,
        amount: Decimal | float | str | None = None,
        method: Method = "credit_card",
        currency: str | None = None,
        collector_id: int | None = None,
        external_reference: str | None = None,
    ) -> Json:
        """Do what a buyer does at the checkout: pay, and give the payment.

        amount: in pesos; by default what the preference asks for. currency, collector_id and
        external_reference: something else than the preference says. The expiry does not matter
        here, since a voucher may be paid later. KeyError: there is no such preference.
        """
        with self.lock:
            preference = self._preferences[preference_id]
            now = self.now()
            order, order_is_new = self._open_order(preference, now)
            payment = make_payment(next(self._payment_ids), preference, order["id"], method, now)
            if amount is not None:
                _charge(payment, pesos(amount))
            payment["currency_id"] = currency or payment["currency_id"]
            payment["collector_id"] = collector_id or payment["collector_id"]
            payment["external_reference"] = external_reference or payment["external_reference"]
            move(payment, status, status_detail, now)
            order = self._store(payment, now)
            writer = self._correspondent(payment, now)
            self._queue(writer.first_of(payment, order, order_is_new=order_is_new))
            return self._payment(payment["id"])

    def settle(self, payment_id: int, status: Status, status_detail: str | None = None) -> Json:
        """Change a payment as the provider does later on, and give it.

        Any change is let happen; ``refunded`` gives back all that is left.
        KeyError: there is no such payment.
        """
        with self.lock:
            payment = self._payment(payment_id)
            now = self.now()
            if status == "refunded" and refundable(payment) > 0:
                self._refund(payment, refundable(payment), "approved", now)
            else:
                move(payment, status, status_detail, now)
            self._changed(payment, now)
            return self._payment(payment_id)

    def settle_refund(self, refund_id: int, status: Literal["approved", "rejected"]) -> Json:
        """Decide a refund that is ``in_process``, and give it. KeyError: there is none."""
        with self.lock:
            refund = self._refunds[refund_id]
            if refund["status"] != "in_process":
                raise ValueError(f"Refund {refund_id} is {refund['status']}.")
            refund["status"] = status
            payment = self._payment(refund["payment_id"])
            now = self.now()
            payment["refunds"] = [
                refund if one["id"] == refund_id else one for one in payment["refunds"]
            ]
            if status == "approved":
                give_back(payment, refund, now)
            self._changed(payment, now)
            return copy.deepcopy(refund)

    def error_body(self, route_name: str, code: int, reason: str) -> Any:
        lost = code == 404 and route_name.startswith(("payments.", "refunds."))
        return api_error(code, reason, cause=2000 if lost else 0)

    # --- Below, the lock is held ----------------------------------------------------------------

    def _make_preference(self, body: Json, base: str) -> Json:
        """Store a preference whose checkout lies below ``base``."""
        preference = complete(body, self.currency)
        preference_id = f"{self.collector_id}-{uuid.uuid4()}"
        init_point = f"{base}{CHECKOUT}?pref_id={preference_id}"
        preference |= {
            "id": preference_id,
            "client_id": CLIENT_ID,
            "collector_id": self.collector_id,
            "date_created": stamp(self.now()),
            "init_point": init_point,
            "sandbox_init_point": init_point,
        }
        self._preferences[preference_id] = preference
        return preference

    def _payment(self, payment_id: int) -> Json:
        payment = self._payments.get(payment_id)
        if payment is None:
            raise KeyError(payment_id)
        return payment

    def _open_order(self, preference: Json, now: datetime) -> tuple[Json, bool]:
        """Find the preference's open order, or make one; tell whether it is new."""
        for order in self._orders.rows():
            if order["preference_id"] == preference["id"] and order["status"] == "opened":
                return order, False
        order = make_order(next(self._order_ids), preference, now)
        self._orders.put(order, now)
        return order, True

    def _store(self, payment: Json, now: datetime) -> Json:
        """Store a payment and give its order, brought up to date."""
        self._payments.put(payment, now)
        order = self._orders.get(int(payment["order"]["id"])) or {}
        siblings = [one for one in self._payments.rows() if one["order"] == payment["order"]]
        sum_up(order, siblings, now)
        self._orders.put(order, now)
        return order

    def _changed(self, payment: Json, now: datetime) -> None:
        """Store a changed payment and tell of it."""
        order = self._store(payment, now)
        writer = self._correspondent(payment, now)
        self._queue(writer.change_of(payment, order))
        if payment["status"] == "charged_back":
            self._queue(writer.chargeback_of(payment))

    def _refund(self, payment: Json, amount: Decimal, status: str, now: datetime) -> Json:
        """Make a refund and note it in the payment, which is left to be stored."""
        refund = make_refund(next(self._refund_ids), payment, amount, status, now)
        self._refunds[refund["id"]] = refund
        payment["refunds"].append(refund)
        if status == "approved":
            give_back(payment, refund, now)
        return refund

    def _correspondent(self, payment: Json, now: datetime) -> Correspondent:
        return Correspondent(
            url=payment["notification_url"] or self.notification_url or "",
            secret=self.webhook_secret,
            collector_id=self.collector_id,
            moment=now,
            ids=self._notice_ids,
        )

    def _queue(self, notices: list[Notice]) -> None:
        self._notices += notices


def _charge(payment: Json, amount: Decimal) -> None:
    """Let the buyer pay another amount."""
    payment["transaction_amount"] = number(amount)
    for name in ("total_paid_amount", "net_received_amount"):
        payment["transaction_details"][name] = number(amount)
