"""Mercado Pago's Checkout Pro; the one user of its SDK.

https://www.mercadopago.com.ar/developers/es/reference
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import requests
from django.conf import settings
from mercadopago import SDK
from mercadopago.config import RequestOptions
from mercadopago.errors import MercadoPagoError
from mercadopago.http import HttpClient

from bookings.models import ChargeStatus
from bookings.payments.amounts import to_centavos, to_pesos
from bookings.payments.gateway import (
    Charge,
    CreatedPreference,
    CreatedRefund,
    PaymentRefusedError,
    PaymentUnavailableError,
    PreferenceDraft,
    RefundState,
    Settlement,
)

PROVIDER_URL = "https://api.mercadopago.com"
CURRENCY = "ARS"
# Payments that are credited days later, which makes no sense for a class that is near.
CASH_TYPES = ("ticket", "atm")
OK, MULTIPLE_CHOICES, BAD_REQUEST, NOT_FOUND, TOO_MANY, SERVER_ERROR = 200, 300, 400, 404, 429, 500

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
    "approved": RefundState.DONE,
    "rejected": RefundState.REJECTED,
    "cancelled": RefundState.REJECTED,
}


class RebasedHttpClient(HttpClient):  # type: ignore[misc]  # the SDK carries no types
    """Sends the SDK's calls to the configured address, which the SDK itself cannot change."""

    def request(self, method: str, url: str, *args: Any, **kwargs: Any) -> Any:
        """Send one call; every verb of the SDK ends here."""
        target = url.replace(PROVIDER_URL, settings.MERCADOPAGO_API_URL, 1)
        # The API redirects nowhere; whatever does is not the API, and gets no token.
        return super().request(method, target, *args, allow_redirects=False, **kwargs)


class MercadoPagoGateway:
    """The gateway of one Mercado Pago account."""

    def __init__(self, access_token: str) -> None:
        self._sdk = SDK(access_token, http_client=RebasedHttpClient(), request_options=_options())

    def create_preference(self, draft: PreferenceDraft) -> CreatedPreference:
        """Create a preference.

        https://www.mercadopago.com.ar/developers/es/reference/preferences/_checkout_preferences/post
        """
        body = _call(lambda: self._sdk.preference().create(_present(draft)))
        with _understanding():
            return CreatedPreference(str(body["id"]), str(body["init_point"]))

    def find_settlement(self, *, preference_id: str, reference: str | None) -> Settlement:
        """Go from the preference through its merchant orders to their payments.

        A payment has no preference id, so the order is the way. Searching payments by reference
        comes second: it lags behind, and finding nothing there proves nothing.
        """
        ids = self._list_ordered(preference_id)
        if reference:
            ids |= self._list_referring(reference)
        charges = [charge for number in ids if (charge := self._read_charge(number))]
        return Settlement(preference_id, tuple(sorted(charges, key=lambda c: int(c.charge_id))))

    def get_charge(self, charge_id: str) -> tuple[Charge, str] | None:
        """Read a payment, and its merchant order for the preference."""
        charge = self._read_charge(charge_id)
        if charge is None:
            return None
        return charge, (charge.order_id and self.find_preference(charge.order_id)) or ""

    def find_preference(self, order_id: str) -> str | None:
        """Read a merchant order."""
        order = _call(lambda: self._sdk.merchant_order().get(order_id), may_be_missing=True)
        with _understanding():
            return order and (str(order["preference_id"] or "") or None)

    def refund(self, *, charge_id: str, amount: int | None, key: str) -> CreatedRefund:
        """Refund a payment under our own idempotency key.

        https://www.mercadopago.com.ar/developers/es/reference/chargebacks/_payments_id_refunds/post
        """
        body = {} if amount is None else {"amount": to_pesos(amount)}
        options = _options({"X-Idempotency-Key": key})
        answer = _call(
            lambda: self._sdk.refund().create(charge_id, body, options), may_be_empty=True
        )
        if answer is None:
            return self._find_repeated(charge_id, amount)
        return _read_refund(answer)

    def get_refund(self, *, charge_id: str, refund_id: str) -> CreatedRefund:
        """Read a refund."""
        return _read_refund(_call(lambda: self._sdk.refund().get(charge_id, refund_id)))

    def cancel(self, charge_id: str) -> None:
        """Cancel a pending payment."""
        try:
            _call(lambda: self._sdk.payment().update(charge_id, {"status": "cancelled"}))
        except PaymentRefusedError:
            charge = self._read_charge(charge_id)
            if charge is not None and charge.status == ChargeStatus.PENDING:
                raise

    def _list_ordered(self, preference_id: str) -> set[str]:
        answer = _call(lambda: self._sdk.merchant_order().search({"preference_id": preference_id}))
        with _understanding():
            orders = answer.get("elements") or []
            # A filter that the provider ignored would show other people's orders.
            own = [order for order in orders if order["preference_id"] == preference_id]
            return {_number(payment) for order in own for payment in order["payments"] or []}

    def _list_referring(self, reference: str) -> set[str]:
        answer = _call(lambda: self._sdk.payment().search({"external_reference": reference}))
        with _understanding():
            found = answer.get("results") or []
            return {_number(one) for one in found if one["external_reference"] == reference}

    def _read_charge(self, charge_id: str) -> Charge | None:
        body = _call(lambda: self._sdk.payment().get(charge_id), may_be_missing=True)
        return None if body is None else _read(body)

    def _find_repeated(self, charge_id: str, amount: int | None) -> CreatedRefund:
        """Find the refund whose repetition was answered without a body: the latest that fits."""
        answer = _call(lambda: self._sdk.refund().list_all(charge_id))
        with _understanding():
            fitting = [
                one for one in answer if amount is None or to_centavos(one["amount"]) == amount
            ]
            return _read_refund(max(fitting, key=lambda one: int(one["id"])))


def _options(headers: dict[str, str] | None = None) -> RequestOptions:
    seconds = settings.MERCADOPAGO_TIMEOUT.total_seconds()
    return RequestOptions(connection_timeout=seconds, max_retries=1, custom_headers=headers)


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
        "payer": {"name": draft.payer_name, "email": draft.payer_email},
        "back_urls": dict.fromkeys(("success", "pending", "failure"), draft.return_url),
        "notification_url": draft.notification_url,
        "external_reference": draft.reference,
        "expires": True,
        "expiration_date_to": _present_instant(draft.expires_at),
        "binary_mode": not draft.accepts_cash,
    }
    if draft.return_url.startswith("https://"):
        # The provider refuses auto_return for addresses it could not reach itself.
        body["auto_return"] = "approved"
    if not draft.accepts_cash:
        body["payment_methods"] = {"excluded_payment_types": [{"id": name} for name in CASH_TYPES]}
    return body


def _present_instant(instant: datetime) -> str:
    return instant.astimezone(ZoneInfo(settings.TIME_ZONE)).isoformat(timespec="milliseconds")


def _number(payment: dict[str, Any]) -> str:
    return str(int(payment["id"]))


def _read(body: dict[str, Any]) -> Charge:
    with _understanding():
        return Charge(
            charge_id=_number(body),
            # A status that is new to us decides nothing yet.
            status=STATUSES.get(body["status"], ChargeStatus.PENDING),
            status_detail=str(body.get("status_detail") or ""),
            amount=to_centavos(body["transaction_amount"]),
            refunded_amount=to_centavos(body.get("transaction_amount_refunded") or 0),
            currency=str(body["currency_id"]),
            collector_id=str(body["collector_id"]),
            reference=str(body.get("external_reference") or ""),
            order_id=str((body.get("order") or {}).get("id") or ""),
            method=str(body.get("payment_method_id") or ""),
            updated_at=_read_instant(body.get("date_last_updated") or body["date_created"]),
        )


def _read_refund(body: dict[str, Any]) -> CreatedRefund:
    with _understanding():
        state = REFUND_STATES.get(body.get("status") or "", RefundState.IN_PROCESS)
        return CreatedRefund(str(body["id"]), state)


def _read_instant(text: str) -> datetime:
    instant = datetime.fromisoformat(text)
    if instant.tzinfo is None:
        raise ValueError("no offset")
    return instant


def _call(
    send: Callable[[], dict[str, Any]],
    *,
    may_be_missing: bool = False,
    may_be_empty: bool = False,
) -> Any:
    """Make one call and give its body.

    None for a 404, or for an answer without a body, where that is an answer.
    """
    try:
        answer = send()
    except (requests.RequestException, MercadoPagoError) as error:
        # The SDK hands on whatever its transport raised; see the table in its tests.
        raise PaymentUnavailableError("The payment provider could not be reached.") from error
    status, body = int(answer["status"]), answer["response"]
    if status == NOT_FOUND and may_be_missing:
        return None
    if BAD_REQUEST <= status < SERVER_ERROR and status != TOO_MANY:
        raise PaymentRefusedError(f"The payment provider answered {status} ({_reason(body)}).")
    if not OK <= status < MULTIPLE_CHOICES:
        raise PaymentUnavailableError(f"The payment provider answered {status}.")
    if body is None and may_be_empty:
        return None
    if not isinstance(body, dict | list):
        raise PaymentUnavailableError("The payment provider's answer makes no sense.")
    return body


def _reason(body: Any) -> str:
    """Give the provider's error key, which names no person and no secret."""
    return str(body.get("error") or "")[:60] if isinstance(body, dict) else ""


@contextmanager
def _understanding() -> Iterator[None]:
    """Take an answer in an unknown shape for a failure of the provider."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise PaymentUnavailableError("The payment provider's answer makes no sense.") from error
