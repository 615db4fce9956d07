"""The gateway to Mercado Pago's Checkout Pro.

https://www.mercadopago.com.ar/developers/es/reference
"""

import logging
import re
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core import checks

from bookings.models import ChargeStatus, PaymentNotification, RefundStatus
from bookings.payments.gateway import (
    CHARGE_TOPIC,
    Charge,
    CreatedRefund,
    NotifiedPayment,
    PaymentGateway,
    PaymentRefusedError,
    PreferenceDraft,
    Verdict,
)
from bookings.payments.mercadopago.client import call, make_options, make_sdk, understanding
from bookings.payments.mercadopago.notifications import read_notification

logger = logging.getLogger(__name__)

CURRENCY = "ARS"
# Payments that are credited days later: too late for a class that starts soon.
CASH_TYPES = ("ticket", "atm")
# Payments on a page of a search, and pages to read.
PAGE_SIZE, PAGES = 100, 5
_DIGITS = re.compile(r"[0-9]{1,20}", re.ASCII)
_CURRENCY = re.compile(r"[A-Z]{3}", re.ASCII)
# A hundred thousand times the highest price; up to here floats with two decimals are exact.
LARGEST = 10**15
LONGEST_WORD, LONGEST_PREFERENCE, LONGEST_ADDRESS = 50, 255, 500
STATUSES = {
    "approved": ChargeStatus.APPROVED,
    "authorized": ChargeStatus.PENDING,
    "pending": ChargeStatus.PENDING,
    "in_process": ChargeStatus.PENDING,
    "in_mediation": ChargeStatus.DISPUTED,
    "rejected": ChargeStatus.REJECTED,
    "cancelled": ChargeStatus.CANCELLED,
    "refunded": ChargeStatus.REFUNDED,
    "charged_back": ChargeStatus.CHARGED_BACK,
}
REFUND_STATES = {
    "approved": RefundStatus.DONE,
    "rejected": RefundStatus.FAILED,
    "cancelled": RefundStatus.FAILED,
}


class MercadoPagoGateway(PaymentGateway):
    """One instance for each operation: its calls share one time budget."""

    name, label = "mercadopago", "Mercado Pago"

    @classmethod
    def is_configured(cls) -> bool:
        return bool(settings.MERCADOPAGO_ACCESS_TOKEN)

    @classmethod
    def check_settings(cls) -> list[checks.CheckMessage]:
        if not cls.is_configured() or settings.MERCADOPAGO_WEBHOOK_SECRET:
            return []
        return [
            checks.Warning(
                "Any caller can make the service ask Mercado Pago about payments.",
                hint="Set MERCADOPAGO_WEBHOOK_SECRET to the secret of the webhook in the panel.",
                id="bookings.W002",
            )
        ]

    @classmethod
    def read_notification(
        cls, query: Mapping[str, str], headers: Mapping[str, str], body: bytes
    ) -> tuple[PaymentNotification, Verdict] | None:
        return read_notification(query, headers, body)

    @property
    def patience(self) -> timedelta:
        return settings.MERCADOPAGO_TIMEOUT

    def __init__(self) -> None:
        self._sdk = make_sdk()

    def create_preference(self, draft: PreferenceDraft) -> tuple[str, str]:
        """https://www.mercadopago.com.ar/developers/es/reference/preferences/_checkout_preferences/post"""
        body = call(self._sdk.preference().create, _present(draft))
        with understanding():
            address = _identify(body["init_point"], LONGEST_ADDRESS)
            if not address.startswith(("https://", "http://")):
                raise ValueError("not an address")
            return _identify(body["id"], LONGEST_PREFERENCE), address

    def list_charges(
        self, *, preference_id: str, reference: str | None, known: Collection[str] = ()
    ) -> list[Charge]:
        orders = call(self._sdk.merchant_order().search, {"preference_id": preference_id})
        with understanding():
            # A payment does not name its preference; its order does. If the provider ignored the
            # filter, there are other people's orders too.
            elements = orders.get("elements") or []
            own = [order for order in elements if order["preference_id"] == preference_id]
            ids = {_plain(payment["id"]) for order in own for payment in order["payments"] or []}
        if reference:  # this search lags behind
            filters = {"external_reference": reference, "sort": "date_created", "criteria": "desc"}
            found = call(self._sdk.payment().search, filters)
            with understanding():
                results = found.get("results") or []
                ids |= {
                    _plain(one["id"]) for one in results if one["external_reference"] == reference
                }
        charges = [charge for number in ids | set(known) if (charge := self.get_charge(number))]
        return sorted(charges, key=lambda charge: int(charge.charge_id))

    def search_updates(self, *, since: datetime) -> list[tuple[str, datetime]]:
        """https://www.mercadopago.com.ar/developers/es/reference/online-payments/checkout-api-payments/search-payments/get"""
        updates: list[tuple[str, datetime]] = []
        for page in range(PAGES):
            found = self._list_updated(since, page * PAGE_SIZE)
            # If the provider ignored the range, there are payments of years.
            updates += [(number, at) for number, at in found if at >= since]
            if len(found) < PAGE_SIZE or found[-1][1] < since:
                return updates
        logger.warning("More than %d payments were updated since %s.", len(updates), since)
        return updates

    def get_charge(self, charge_id: str) -> Charge | None:
        body = self._get_payment(charge_id)
        return None if body is None else _read(body)

    def find_notified(self, *, topic: str, resource_id: str) -> NotifiedPayment | None:
        if topic != CHARGE_TOPIC:
            return NotifiedPayment(self._find_preference(resource_id))
        body = self._get_payment(resource_id)
        if body is None:
            return None
        charge = _read(body)
        with understanding():
            order_id = _word((body.get("order") or {}).get("id"))
        preference_id = order_id and self._find_preference(order_id)
        return NotifiedPayment(preference_id, charge.charge_id, charge.reference)

    def refund(self, *, charge_id: str, amount: int | None, key: str) -> CreatedRefund | None:
        """https://www.mercadopago.com.ar/developers/es/reference/chargebacks/_payments_id_refunds/post"""
        body = {} if amount is None else {"amount": to_pesos(amount)}
        options = make_options({"X-Idempotency-Key": key})
        answer = call(self._sdk.refund().create, charge_id, body, options, may_be_empty=True)
        return None if answer is None else _read_refund(answer)

    def get_refund(self, *, charge_id: str, refund_id: str) -> CreatedRefund:
        return _read_refund(call(self._sdk.refund().get, charge_id, refund_id))

    def find_refund(
        self, *, charge_id: str, amount: int, since: datetime, known: Collection[str]
    ) -> CreatedRefund | None:
        answer = call(self._sdk.refund().list_all, charge_id)
        with understanding():
            listed = [
                (_read_refund(one), to_centavos(one["amount"]), _instant(one["date_created"]))
                for one in answer
            ]
        fitting = [
            refund
            for refund, centavos, created_at in listed
            if centavos == amount and created_at > since and refund.refund_id not in known
        ]
        return min(fitting, key=lambda refund: int(refund.refund_id), default=None)

    def cancel(self, charge_id: str) -> None:
        try:
            call(self._sdk.payment().update, charge_id, {"status": "cancelled"})
        except PaymentRefusedError:
            charge = self.get_charge(charge_id)
            if charge is not None and charge.status == ChargeStatus.PENDING:
                raise

    def _find_preference(self, order_id: str) -> str | None:
        order = call(self._sdk.merchant_order().get, order_id, may_be_missing=True)
        with understanding():
            if not order:  # new orders are unknown, or empty, for a while
                return None
            named = order["preference_id"]
            return _identify(named, LONGEST_PREFERENCE) if named else ""

    def _list_updated(self, since: datetime, offset: int) -> list[tuple[str, datetime]]:
        filters = {
            "range": "date_last_updated",
            "begin_date": _present_instant(since),
            "end_date": "NOW",  # by the provider's clock, which may be ahead of ours
            "sort": "date_last_updated",
            "criteria": "desc",
            "limit": PAGE_SIZE,
            "offset": offset,
        }
        answer = call(self._sdk.payment().search, filters)
        with understanding():
            return [(_plain(one["id"]), _updated_at(one)) for one in answer["results"]]

    def _get_payment(self, charge_id: str) -> Any:
        return call(self._sdk.payment().get, charge_id, may_be_missing=True)


def _present(draft: PreferenceDraft) -> dict[str, Any]:
    body: dict[str, Any] = {
        "items": [
            {
                "id": "clase",
                "title": draft.title,
                "description": draft.description,
                "category_id": "services",
                "quantity": 1,
                "currency_id": CURRENCY,
                "unit_price": to_pesos(draft.amount),
            }
        ],
        "payer": {"name": draft.payer_name}
        | ({"email": draft.payer_email} if draft.payer_email else {}),
        "back_urls": dict.fromkeys(("success", "pending", "failure"), draft.return_url),
        "external_reference": draft.reference,
        "expires": True,
        "expiration_date_to": _present_instant(draft.expires_at),
        "binary_mode": draft.cash_until is None,
    }
    if draft.return_url.startswith("https://"):
        # The provider refuses auto_return for addresses that it cannot reach.
        body["auto_return"] = "approved"
    if draft.notification_url.startswith("https://"):
        # It calls only https addresses, and sends webhooks instead of IPN if the address says so.
        body["notification_url"] = f"{draft.notification_url}?source_news=webhooks"
    if draft.cash_until is not None:
        body["date_of_expiration"] = _present_instant(draft.cash_until)
    else:
        body["payment_methods"] = {"excluded_payment_types": [{"id": name} for name in CASH_TYPES]}
    return body


def _present_instant(instant: datetime) -> str:
    return instant.astimezone(ZoneInfo(settings.TIME_ZONE)).isoformat(timespec="milliseconds")


def _plain(value: object, form: re.Pattern[str] = _DIGITS) -> str:
    text = "" if isinstance(value, bool) else str(value)
    if not form.fullmatch(text):
        raise ValueError("not of this form")
    return text


def _identify(value: object, longest: int) -> str:
    if not isinstance(value, str) or not value.isprintable() or not 0 < len(value) <= longest:
        raise ValueError("not an identifier")
    return value


def _word(value: object) -> str:
    # Only for display, so cut to the column's length.
    text = str(value or "")
    return text[:LONGEST_WORD] if text.isprintable() else ""


def _read(body: dict[str, Any]) -> Charge:
    with understanding():
        account_id = _plain(body["collector_id"])
        return Charge(
            charge_id=_plain(body["id"]),
            # An unknown status decides nothing yet.
            status=STATUSES.get(body["status"], ChargeStatus.PENDING),
            status_detail=_word(body.get("status_detail")),
            amount=to_centavos(body["transaction_amount"]),
            refunded_amount=to_centavos(body.get("transaction_amount_refunded") or 0),
            refunds=tuple(
                (found.refund_id, to_centavos(one["amount"]))
                for one in body.get("refunds") or []
                if (found := _read_refund(one)).state == RefundStatus.DONE
            ),
            currency=_plain(body["currency_id"], _CURRENCY),
            account_id=account_id,
            is_ours=account_id == settings.MERCADOPAGO_COLLECTOR_ID,
            reference=str(body.get("external_reference") or ""),
            method=_word(body.get("payment_method_id")),
            approved_at=_instant(body["date_approved"]) if body.get("date_approved") else None,
            updated_at=_updated_at(body),
        )


def _read_refund(body: dict[str, Any]) -> CreatedRefund:
    with understanding():
        state = REFUND_STATES.get(body.get("status") or "", RefundStatus.IN_PROCESS)
        return CreatedRefund(_plain(body["id"]), state)


def _updated_at(payment: dict[str, Any]) -> datetime:
    return _instant(payment.get("date_last_updated") or payment["date_created"])


def _instant(text: str) -> datetime:
    instant = datetime.fromisoformat(text)
    if instant.tzinfo is None:
        raise ValueError("no offset")
    return instant


def to_pesos(centavos: int) -> float:
    """Return the provider's pesos with decimals; two survive the float."""
    return float(Decimal(centavos).scaleb(-2))


def to_centavos(pesos: object) -> int:
    """Read a JSON number exactly, else raise ValueError."""
    if isinstance(pesos, bool) or not isinstance(pesos, int | float):
        raise ValueError("not an amount")  # noqa: TRY004 - one error for every bad amount
    # str() first: the shortest text that means this float is what the provider wrote.
    centavos = Decimal(str(pesos)).scaleb(2)
    is_whole = centavos.is_finite() and centavos == centavos.to_integral_value()
    if not is_whole or not 0 <= centavos <= LARGEST:
        raise ValueError("not an amount")
    return int(centavos)
