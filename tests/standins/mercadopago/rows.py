"""Amounts and moments as Mercado Pago writes them, and rows that remember their past."""

import copy
import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, Literal, NoReturn

from tests.standins.messages import RefusedError, json_reply

Json = dict[str, Any]

# The API answers in this zone, whatever the country's own.
API_ZONE = timezone(timedelta(hours=-4))
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(Z|[+-]\d\d:\d\d)")


def stamp(moment: datetime) -> str:
    """Write a moment: ``2026-11-20T14:30:00.000-04:00``."""
    return moment.astimezone(API_ZONE).isoformat(timespec="milliseconds")


def zulu(moment: datetime) -> str:
    """Write a moment as the payment notices do: ``2026-11-20T18:30:00Z``."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def parse_moment(text: Any) -> datetime | None:
    """Read a moment; None unless it has milliseconds and an offset, as the API demands."""
    if not isinstance(text, str) or not MOMENT.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def pesos(amount: Any) -> Decimal:
    """Read an amount in pesos; a float by its shortest spelling."""
    return Decimal(str(amount))


def number(amount: Decimal) -> int | float:
    """Give an amount the JSON of the real API: ``6000`` and ``12500.5``, no trailing zeros."""
    return int(amount) if amount == amount.to_integral_value() else float(amount)


def total_of(preference: Json) -> Decimal:
    return sum(
        (pesos(item["unit_price"]) * item["quantity"] for item in preference["items"]), Decimal(0)
    )


def is_number(value: Any) -> bool:
    """Tell whether a JSON value is a number; Python reads ``NaN`` and ``Infinity``, too."""
    return type(value) in {int, float} and math.isfinite(value)


class Shelf:
    """Rows by id, each with its earlier states, so that a search can lag behind."""

    def __init__(self) -> None:
        self._states: dict[int, list[tuple[datetime, Json]]] = {}

    def put(self, row: Json, moment: datetime) -> None:
        self._states.setdefault(row["id"], []).append((moment, copy.deepcopy(row)))

    def get(self, row_id: int) -> Json | None:
        """Give a copy of a row."""
        states = self._states.get(row_id)
        return copy.deepcopy(states[-1][1]) if states else None

    def rows(self) -> list[Json]:
        """Give copies of all rows, oldest first."""
        return [copy.deepcopy(states[-1][1]) for states in self._states.values()]

    def rows_as_of(self, moment: datetime) -> list[Json]:
        """Give the rows as they were then; those made later are missing."""
        past = ([row for made, row in states if made <= moment] for states in self._states.values())
        return [copy.deepcopy(rows[-1]) for rows in past if rows]


# What it says when a fault names only the status.
USUAL_ERRORS = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    409: "conflict",
    429: "too_many_requests",
}
CAUSES = {
    2000: "Payment not found",
    2017: "Invalid transaction_amount for update",
    2024: "Payment too old to be refunded",
    2063: "The action requested is not valid for the current payment state",
    4040: "amount must be a positive number",
    4292: "Header X-Idempotency-Key can't be null",
}


def api_error(code: int, error: str = "", message: str = "", cause: int = 0) -> dict[str, Any]:
    """Give the body of an API error; ``cause`` is one of the numbers above."""
    word = error or USUAL_ERRORS.get(code, "internal_error")
    text = message or CAUSES.get(cause) or word
    causes = [{"code": cause, "description": CAUSES[cause], "data": None}] if cause else []
    return {"message": text, "error": word, "status": code, "cause": causes}


def refuse(code: int, error: str = "", message: str = "", cause: int = 0) -> NoReturn:
    raise RefusedError(json_reply(api_error(code, error, message, cause), code))


Method = Literal["credit_card", "debit_card", "account_money", "ticket", "bank_transfer"]
Status = Literal[
    "approved",
    "authorized",
    "pending",
    "in_process",
    "in_mediation",
    "rejected",
    "cancelled",
    "refunded",
    "charged_back",
]
USUAL_DETAILS: dict[str, str] = {
    "approved": "accredited",
    "authorized": "pending_capture",
    "pending": "pending_waiting_payment",
    "in_process": "pending_review_manual",
    "in_mediation": "in_mediation",
    "rejected": "cc_rejected_insufficient_amount",
    "cancelled": "expired",
    "refunded": "refunded",
    "charged_back": "in_process",
}
BRANDS: dict[Method, str] = {
    "credit_card": "visa",
    "debit_card": "debvisa",
    "account_money": "account_money",
    "ticket": "rapipago",
    "bank_transfer": "cvu",
}
PAYER_ID = 1_165_072_510


def make_payment(
    payment_id: int, preference: Json, order_id: int, method: Method, now: datetime
) -> Json:
    """Give a payment that has only just begun; there is no preference id in one.

    https://www.mercadopago.com.ar/developers/es/reference/online-payments/checkout-api-payments/get-payment/get
    """
    amount = number(total_of(preference))
    return {
        "id": payment_id,
        "date_created": stamp(now),
        "date_approved": None,
        "date_last_updated": stamp(now),
        "date_of_expiration": preference["date_of_expiration"],
        "operation_type": "regular_payment",
        "payment_method_id": BRANDS[method],
        "payment_type_id": method,
        "status": "pending",
        "status_detail": USUAL_DETAILS["pending"],
        "currency_id": preference["items"][0]["currency_id"],
        "description": preference["items"][0]["title"],
        "live_mode": True,
        "collector_id": preference["collector_id"],
        # A text here, a number in the merchant order.
        "order": {"id": str(order_id), "type": "mercadopago"},
        "payer": {"id": str(PAYER_ID), "email": "test_user_80507629@testuser.com"},
        "metadata": preference["metadata"],
        "external_reference": preference["external_reference"] or None,
        "transaction_amount": amount,
        "transaction_amount_refunded": 0,
        "transaction_details": {"total_paid_amount": amount, "net_received_amount": amount},
        "captured": True,
        "notification_url": preference["notification_url"],
        "refunds": [],
    }


def move(payment: Json, status: str, detail: str | None, now: datetime) -> None:
    """Give a payment another status, with its usual detail unless one is named."""
    payment["status"] = status
    payment["status_detail"] = detail or USUAL_DETAILS[status]
    payment["date_last_updated"] = stamp(now)
    if status == "approved" and payment["date_approved"] is None:
        payment["date_approved"] = stamp(now)


def refundable(payment: Json) -> Decimal:
    """Give what nobody has asked back yet, in pesos."""
    asked = (pesos(one["amount"]) for one in payment["refunds"] if one["status"] != "rejected")
    return pesos(payment["transaction_amount"]) - sum(asked)


def make_refund(refund_id: int, payment: Json, amount: Decimal, status: str, now: datetime) -> Json:
    return {
        "id": refund_id,
        "payment_id": payment["id"],
        "amount": number(amount),
        "source": {"id": str(payment["collector_id"]), "name": "Clases", "type": "collector"},
        "date_created": stamp(now),
        "status": status,
    }


def give_back(payment: Json, refund: Json, now: datetime) -> None:
    """Let an approved refund take its money out of the payment."""
    refunded = pesos(payment["transaction_amount_refunded"]) + pesos(refund["amount"])
    payment["transaction_amount_refunded"] = number(refunded)
    if refunded < pesos(payment["transaction_amount"]):
        move(payment, payment["status"], "partially_refunded", now)
    else:
        move(payment, "refunded", None, now)


PAID = frozenset({"approved", "in_mediation"})
WAITING = frozenset({"authorized", "in_process", "pending"})
REVERTED = frozenset({"refunded", "charged_back"})
REFUSED = frozenset({"rejected", "cancelled"})


def make_order(order_id: int, preference: Json, now: datetime) -> Json:
    """Return an order without payments."""
    return {
        "id": order_id,
        "status": "opened",
        "external_reference": preference["external_reference"] or None,
        "preference_id": preference["id"],
        "payments": [],
        "collector": {"id": preference["collector_id"], "email": "", "nickname": "CLASES"},
        "notification_url": preference["notification_url"],
        "date_created": stamp(now),
        "last_updated": stamp(now),
        "total_amount": number(total_of(preference)),
        "paid_amount": 0,
        "refunded_amount": 0,
        "items": preference["items"],
        "application_id": preference["client_id"],
        "order_status": "payment_required",
    }


def sum_up(order: Json, payments: Sequence[Json], now: datetime) -> None:
    """Bring an order up to date with its payments, the refused ones included."""
    total = pesos(order["total_amount"])
    paid = _sum(payments, "transaction_amount", PAID)
    covered = _sum(payments, "transaction_amount", PAID | REVERTED) >= total
    order["payments"] = [_line(payment) for payment in payments]
    order["paid_amount"] = number(paid)
    order["refunded_amount"] = number(_sum(payments, "transaction_amount_refunded"))
    # Money that went back closes it as well: the next payment opens another order.
    order["status"] = "closed" if covered else "opened"
    order["order_status"] = _order_status(payments, paid, total)
    order["last_updated"] = stamp(now)


def _order_status(payments: Sequence[Json], paid: Decimal, total: Decimal) -> str:
    statuses = {payment["status"] for payment in payments} - REFUSED
    if statuses and statuses <= REVERTED:
        return "reverted"
    if statuses & REVERTED or _sum(payments, "transaction_amount_refunded"):
        return "partially_reverted"
    if paid >= total:
        return "paid"
    if paid:
        return "partially_paid"
    return "payment_in_process" if statuses & WAITING else "payment_required"


def _sum(payments: Sequence[Json], name: str, statuses: frozenset[str] | None = None) -> Decimal:
    counted = (one for one in payments if statuses is None or one["status"] in statuses)
    return sum((pesos(payment[name]) for payment in counted), Decimal(0))


def _line(payment: Json) -> Json:
    """Give a payment as its order lists it."""
    return {
        "id": payment["id"],
        "transaction_amount": payment["transaction_amount"],
        "total_paid_amount": payment["transaction_amount"],
        "shipping_cost": 0,
        "currency_id": payment["currency_id"],
        "status": payment["status"],
        "status_detail": payment["status_detail"],
        "operation_type": payment["operation_type"],
        "date_approved": payment["date_approved"],
        "date_created": payment["date_created"],
        "last_modified": payment["date_last_updated"],
        "amount_refunded": payment["transaction_amount_refunded"],
    }
