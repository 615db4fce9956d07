"""Payments and refunds in the API's own shape; nothing here keeps state."""

from datetime import datetime
from decimal import Decimal
from typing import Literal

from tests.standins.mercadopago_preferences import total_of
from tests.standins.mercadopago_values import Json, number, pesos, stamp

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
    payer = preference["payer"]
    return {
        "id": payment_id,
        "date_created": stamp(now),
        "date_approved": None,
        "date_last_updated": stamp(now),
        "date_of_expiration": preference["date_of_expiration"],
        "money_release_date": None,
        "operation_type": "regular_payment",
        "issuer_id": "1" if "card" in method else None,
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
        "payer": {
            "id": str(PAYER_ID),
            "email": payer["email"] or "test_user_80507629@testuser.com",
            "first_name": None,
            "last_name": None,
            "identification": {"type": "DNI", "number": "12345678"},
            "phone": {"area_code": None, "number": None, "extension": None},
            "type": None,
            "entity_type": None,
        },
        "metadata": preference["metadata"],
        "additional_info": {"items": preference["items"]},
        "external_reference": preference["external_reference"] or None,
        "transaction_amount": amount,
        "transaction_amount_refunded": 0,
        "coupon_amount": 0,
        "shipping_amount": 0,
        "taxes_amount": 0,
        "transaction_details": {
            "total_paid_amount": amount,
            "net_received_amount": amount,
            "installment_amount": amount,
            "overpaid_amount": 0,
        },
        "fee_details": [],
        "captured": True,
        "binary_mode": preference["binary_mode"],
        "installments": 1,
        "card": _card(now) if "card" in method else {},
        "notification_url": preference["notification_url"],
        "statement_descriptor": preference["statement_descriptor"] or None,
        "processing_mode": "aggregator",
        "merchant_account_id": None,
        "point_of_interaction": {
            "type": "CHECKOUT",
            "business_info": {"unit": "online_payments", "sub_unit": "checkout_pro"},
        },
        "refunds": [],
    }


def move(payment: Json, status: str, detail: str | None, now: datetime) -> None:
    """Give a payment another status, with its usual detail unless one is named."""
    payment["status"] = status
    payment["status_detail"] = detail or USUAL_DETAILS[status]
    payment["date_last_updated"] = stamp(now)
    if status == "approved" and payment["date_approved"] is None:
        payment["date_approved"] = payment["money_release_date"] = stamp(now)


def refundable(payment: Json) -> Decimal:
    """Give what nobody has asked back yet, in pesos."""
    asked = (pesos(one["amount"]) for one in payment["refunds"] if one["status"] != "rejected")
    return pesos(payment["transaction_amount"]) - sum(asked)


def make_refund(refund_id: int, payment: Json, amount: Decimal, status: str, now: datetime) -> Json:
    return {
        "id": refund_id,
        "payment_id": payment["id"],
        "amount": number(amount),
        "metadata": {},
        "source": {"id": str(payment["collector_id"]), "name": "Clases", "type": "collector"},
        "date_created": stamp(now),
        "unique_sequence_number": None,
        "refund_mode": "standard",
        "adjustment_amount": 0,
        "status": status,
        "reason": None,
        "labels": [],
        "amount_refunded_to_payer": number(amount),
        "partition_details": [],
    }


def give_back(payment: Json, refund: Json, now: datetime) -> None:
    """Let an approved refund take its money out of the payment."""
    refunded = pesos(payment["transaction_amount_refunded"]) + pesos(refund["amount"])
    payment["transaction_amount_refunded"] = number(refunded)
    if refunded < pesos(payment["transaction_amount"]):
        move(payment, payment["status"], "partially_refunded", now)
    else:
        move(payment, "refunded", None, now)


def _card(now: datetime) -> Json:
    return {
        "id": None,
        "first_six_digits": "450995",
        "last_four_digits": "3704",
        "expiration_month": 11,
        "expiration_year": 2030,
        "date_created": stamp(now),
        "date_last_updated": stamp(now),
        "cardholder": {"name": "APRO", "identification": {"type": "DNI", "number": "12345678"}},
    }
