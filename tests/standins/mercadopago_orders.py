"""Merchant orders: what gathers the payments of one preference.

https://www.mercadopago.com.ar/developers/es/reference/online-payments/checkout-pro/merchant_orders/get-merchant-order/get
"""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

from tests.standins.mercadopago_payments import PAYER_ID
from tests.standins.mercadopago_preferences import total_of
from tests.standins.mercadopago_values import Json, number, pesos, stamp

PAID = frozenset({"approved", "in_mediation"})
WAITING = frozenset({"authorized", "in_process", "pending"})
REVERTED = frozenset({"refunded", "charged_back"})
REFUSED = frozenset({"rejected", "cancelled"})


def make_order(order_id: int, preference: Json, now: datetime) -> Json:
    """Give an order without payments."""
    return {
        "id": order_id,
        "status": "opened",
        "external_reference": preference["external_reference"] or None,
        "preference_id": preference["id"],
        "payments": [],
        "shipments": [],
        "collector": {"id": preference["collector_id"], "email": "", "nickname": "CLASES"},
        "marketplace": "NONE",
        "notification_url": preference["notification_url"],
        "date_created": stamp(now),
        "last_updated": stamp(now),
        "sponsor_id": None,
        "shipping_cost": 0,
        "total_amount": number(total_of(preference)),
        "site_id": preference["site_id"],
        "paid_amount": 0,
        "refunded_amount": 0,
        "payer": {"id": PAYER_ID, "email": ""},
        "items": preference["items"],
        "cancelled": False,
        "additional_info": preference["additional_info"],
        "application_id": preference["client_id"],
        "is_test": True,
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
