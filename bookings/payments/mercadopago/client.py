"""Calls to Mercado Pago: their address, time budget, outcome and duration."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import requests
from django.conf import settings
from mercadopago import SDK
from mercadopago.config import RequestOptions
from mercadopago.errors import MercadoPagoError
from mercadopago.http import HttpClient
from prometheus_client import Histogram

from bookings.payments.gateway import PaymentRefusedError, PaymentUnavailableError
from config.lib.provider_calls import ProviderBusyError, ProviderGuard, outcome_of

PROVIDER_URL = "https://api.mercadopago.com"
# Refusals that do not depend on the request: a token that is being changed (401), time-outs, the
# same key in progress (409), locks and limits. The same call may succeed later.
PASSING = frozenset({401, 408, 409, 423, 425, 429})
# A provider that hangs must not hold every thread of the server.
guard = ProviderGuard(patience=timedelta(seconds=1))
SECONDS = Histogram(
    "classes_payment_call_seconds",
    "How long calls to the payment provider took, by what was called and outcome.",
    ["operation", "outcome"],
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8),
)
# A path segment with a digit is an id, except the API's version.
_ID = re.compile(r"/(?!v\d\b)[^/]*\d[^/]*")


class RebasedHttpClient(HttpClient):  # type: ignore[misc]  # the SDK carries no types
    """Send the SDK's calls to the configured address, which the SDK cannot change."""

    def __init__(self) -> None:
        # One budget for all calls of this client: their time-outs must not add up.
        self._deadline = time.monotonic() + settings.MERCADOPAGO_BUDGET.total_seconds()

    def request(self, method: str, url: str, *args: Any, **kwargs: Any) -> Any:
        url = url.replace(PROVIDER_URL, settings.MERCADOPAGO_API_URL, 1)
        operation = name_operation(method, url)
        with guard.enter(settings.MERCADOPAGO_CALLERS):
            left = self._deadline - time.monotonic()
            if left <= 0:
                raise requests.Timeout("The budget for the payment provider is spent.")
            kwargs["timeout"] = min(kwargs.get("timeout") or left, left)
            began, status = time.perf_counter(), 0  # no answer
            try:
                # The API never redirects; another server must not get the token.
                answer = super().request(method, url, *args, allow_redirects=False, **kwargs)
                status = int(answer["status"])
                return answer
            finally:
                # Notifications from strangers name payments that do not exist: 404 is no failure.
                outcome = outcome_of(status, usual=(404,))
                SECONDS.labels(operation, outcome).observe(time.perf_counter() - began)


def make_sdk() -> SDK:
    token, client = settings.MERCADOPAGO_ACCESS_TOKEN, RebasedHttpClient()
    return SDK(token, http_client=client, request_options=make_options())


def make_options(headers: dict[str, str] | None = None) -> RequestOptions:
    seconds = settings.MERCADOPAGO_TIMEOUT.total_seconds()
    return RequestOptions(connection_timeout=seconds, max_retries=1, custom_headers=headers)


def call(
    send: Callable[..., dict[str, Any]],
    *arguments: Any,
    may_be_missing: bool = False,
    may_be_empty: bool = False,
) -> Any:
    try:
        answer = send(*arguments)
    except (requests.RequestException, MercadoPagoError, ProviderBusyError) as error:
        # The SDK lets its transport's errors through; see the table in its tests.
        raise PaymentUnavailableError("The payment provider could not be reached.") from error
    status, body = int(answer["status"]), answer["response"]
    if status == 404 and may_be_missing:
        return None
    if 400 <= status < 500 and status not in PASSING:
        # The error key contains no person and no secret, unlike the message.
        reason = str(body.get("error") or "")[:60] if isinstance(body, dict) else ""
        raise PaymentRefusedError(f"The payment provider answered {status} ({reason}).")
    if not 200 <= status < 300:
        raise PaymentUnavailableError(f"The payment provider answered {status}.")
    if body is None and may_be_empty:
        return None
    if not isinstance(body, dict | list):
        raise PaymentUnavailableError("The payment provider's answer makes no sense.")
    return body


@contextmanager
def understanding() -> Iterator[None]:
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise PaymentUnavailableError("The payment provider's answer makes no sense.") from error


def name_operation(method: str, url: str) -> str:
    """Return a name like ``GET /v1/payments/:id``."""
    return f"{method} {_ID.sub('/:id', urlsplit(url).path)}"
