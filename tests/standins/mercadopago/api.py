"""Mercado Pago's API over HTTP: preferences, payments, refunds and merchant orders."""

import re
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, ClassVar

from tests.standins.mercadopago.account import MercadoPagoAccount
from tests.standins.mercadopago.rows import (
    Json,
    Shelf,
    is_number,
    parse_moment,
    pesos,
    refundable,
    refuse,
)
from tests.standins.messages import RecordedRequest, Reply, json_reply
from tests.standins.server import Route, route

REFUND_DAYS = timedelta(days=180)
CANCELLABLE = frozenset({"authorized", "in_process", "pending"})
PAGE_SIZE = 30
LARGEST_PAGE = 1000
PAYMENT_FILTERS = ("id", "external_reference", "status", "payment_method_id", "currency_id")
ORDER_FILTERS = ("preference_id", "external_reference", "status")
SORTABLE = frozenset({"id", "date_created", "date_approved", "date_last_updated"})
RELATIVE_MOMENT = re.compile(r"NOW(?:-(\d{1,6})(MINUTE|HOUR|DAY)S?)?")
PAYMENTS = "/v1/payments"


class MercadoPagoApi(MercadoPagoAccount):
    """The account, as its access token shows it."""

    routes: ClassVar[tuple[Route, ...]] = (
        route("preferences.create", "POST", "/checkout/preferences", "_create_preference"),
        route("payments.search", "GET", PAYMENTS + "/search", "_search_payments"),
        route("payments.get", "GET", PAYMENTS + "/([^/]+)", "_get_payment"),
        route("payments.update", "PUT", PAYMENTS + "/([^/]+)", "_update_payment"),
        route("refunds.create", "POST", PAYMENTS + "/([^/]+)/refunds", "_create_refund"),
        route("refunds.list", "GET", PAYMENTS + "/([^/]+)/refunds", "_list_refunds"),
        route("refunds.get", "GET", PAYMENTS + "/([^/]+)/refunds/([^/]+)", "_get_refund"),
        route("merchant_orders.search", "GET", "/merchant_orders/search", "_search_orders"),
        route("merchant_orders.get", "GET", "/merchant_orders/([^/]+)", "_get_order"),
    )

    def _forget(self) -> None:
        super()._forget()
        self._refund_keys: dict[tuple[int, str], Json] = {}

    # --- Preferences --------------------------------------------------------------------------

    def _create_preference(self, request: RecordedRequest) -> Reply:
        self._require_token(request)
        # The checkout is reached as the API is: the demo calls this machine ``localhost``.
        host = request.headers.get("Host")
        base = f"http://{host}" if host else self.url
        return json_reply(self._make_preference(request.json, base), 201)

    # --- Payments -----------------------------------------------------------------------------

    def _get_payment(self, request: RecordedRequest) -> Reply:
        return json_reply(self._wanted_payment(request))

    def _update_payment(self, request: RecordedRequest) -> Reply:
        """Cancel a payment: the one change a seller makes here."""
        payment = self._wanted_payment(request)
        if request.json != {"status": "cancelled"}:
            refuse(400, message="only cancelling is imitated here")
        if payment["status"] not in CANCELLABLE:
            refuse(400, cause=2063)
        return json_reply(self.settle(payment["id"], "cancelled", "by_collector"))

    def _search_payments(self, request: RecordedRequest) -> Reply:
        self._require_token(request)
        query = request.query
        rows = _filtered(self._visible(self._payments), query, PAYMENT_FILTERS)
        rows = [row for row in rows if self._is_in_range(row, query)]
        key = query.get("sort", "date_created")
        if key not in SORTABLE:
            refuse(400, message="sort invalid")
        # Equal moments are put in order by the id.
        rows.sort(
            key=lambda row: (str(row[key] or ""), row["id"]),
            reverse=query.get("criteria", "asc") == "desc",
        )
        limit, offset = _page(query)
        paging = {"total": len(rows), "limit": limit, "offset": offset}
        return json_reply({"paging": paging, "results": rows[offset : offset + limit]})

    def _is_in_range(self, row: Json, query: dict[str, str]) -> bool:
        if "range" not in query:
            return True
        moment = parse_moment(row.get(query["range"]))
        begin = self._moment(query.get("begin_date", "NOW-9999DAYS"))
        end = self._moment(query.get("end_date", "NOW"))
        return moment is not None and begin <= moment <= end

    def _moment(self, text: str) -> datetime:
        """Read an end of a range: a moment, or ``NOW-30DAYS``."""
        relative = RELATIVE_MOMENT.fullmatch(text)
        if relative:
            count, unit = relative.groups()
            return self.now() - timedelta(**{f"{unit.lower()}s": int(count)} if unit else {})
        return parse_moment(text) or refuse(400, message="date range invalid")

    def _wanted_payment(self, request: RecordedRequest) -> Json:
        self._require_token(request)
        payment = _find(self._payments, request.segments[0])
        return payment or refuse(404, cause=2000)

    # --- Refunds ------------------------------------------------------------------------------

    def _create_refund(self, request: RecordedRequest) -> Reply:
        """Give money back; the body says how much, an empty one means all."""
        self._require_token(request)
        key = request.headers.get("X-Idempotency-Key")
        if not key:
            refuse(400, cause=4292)
        payment = self._wanted_payment(request)
        earlier = self._refund_keys.get((payment["id"], key))
        if earlier:
            return Reply() if self.empty_repeats else json_reply(earlier)
        now = self.now()
        amount = _refund_amount(payment, request.json, now)
        refund = self._refund(payment, amount, self.refund_status, now)
        self._refund_keys[payment["id"], key] = refund
        self._changed(payment, now)
        return json_reply(refund, 201)

    def _list_refunds(self, request: RecordedRequest) -> Reply:
        return json_reply(self._wanted_payment(request)["refunds"])

    def _get_refund(self, request: RecordedRequest) -> Reply:
        refunds = self._wanted_payment(request)["refunds"]
        found = [refund for refund in refunds if str(refund["id"]) == request.segments[1]]
        return json_reply(found[0] if found else refuse(404, message="Refund not found"))

    # --- Merchant orders ----------------------------------------------------------------------

    def _get_order(self, request: RecordedRequest) -> Reply:
        self._require_token(request)
        order = _find(self._orders, request.segments[0])
        return json_reply(order or refuse(404, message="Merchant order not found"))

    def _search_orders(self, request: RecordedRequest) -> Reply:
        self._require_token(request)
        rows = _filtered(self._visible(self._orders), request.query, ORDER_FILTERS)
        limit, offset = _page(request.query)
        page = rows[offset : offset + limit]
        answer = {"elements": page or None, "next_offset": offset + len(page), "total": len(rows)}
        return json_reply(answer)

    # --- Shared -------------------------------------------------------------------------------

    def _require_token(self, request: RecordedRequest) -> None:
        if request.bearer != self.access_token:
            refuse(401, message="invalid access token")

    def _visible(self, shelf: Shelf) -> list[Json]:
        """Give what a search finds, which lags behind what the ids give."""
        if not self.search_lag:
            return shelf.rows()
        return shelf.rows_as_of(self.now() - timedelta(seconds=self.search_lag))


def _find(shelf: Shelf, text: str) -> Json | None:
    return shelf.get(int(text)) if text.isascii() and text.isdigit() else None


def _filtered(rows: list[Json], query: dict[str, str], names: tuple[str, ...]) -> list[Json]:
    """Keep the rows that match; an empty value filters nothing."""
    wanted = {name: query[name] for name in names if query.get(name)}
    return [row for row in rows if all(str(row[name]) == wanted[name] for name in wanted)]


def _page(query: dict[str, str]) -> tuple[int, int]:
    """Give limit and offset."""
    limit, offset = query.get("limit", str(PAGE_SIZE)), query.get("offset", "0")
    if not (limit.isdecimal() and offset.isdecimal() and int(limit) <= LARGEST_PAGE):
        refuse(400, message="limit or offset invalid")
    return int(limit), int(offset)


def _refund_amount(payment: Json, body: Any, now: datetime) -> Decimal:
    """Check a refund as production does, state before amount, and give how much it is."""
    left = refundable(payment)
    wanted = body.get("amount") if isinstance(body, dict) else None
    approved = parse_moment(payment["date_approved"])
    if approved and now - approved > REFUND_DAYS:
        refuse(400, cause=2024)
    if wanted is None:
        return left if payment["status"] == "approved" and left > 0 else refuse(400, cause=2063)
    if not is_number(wanted) or wanted <= 0:
        refuse(400, cause=4040)
    if payment["status"] not in {"approved", "refunded"}:
        refuse(400, cause=2063)
    amount = pesos(wanted)
    if amount > left or amount != round(amount, 2):
        refuse(400, cause=2017)
    return amount
