"""How the identity providers answer, in figures."""

from collections.abc import Container
from time import perf_counter
from typing import Any
from urllib.parse import urlsplit

import requests
from prometheus_client import Histogram
from requests.adapters import HTTPAdapter

SECONDS = Histogram(
    "classes_sign_in_call_seconds",
    "How long calls to the identity providers took, by host and outcome.",
    ["host", "outcome"],
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2, 4),
)


class TimedAdapter(HTTPAdapter):
    """Sends as requests does, and counts each call. The hosts are fixed in the settings."""

    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> Any:
        """Send a request."""
        began, status = perf_counter(), 0
        try:
            response = super().send(request, *args, **kwargs)
            status = response.status_code
            return response
        finally:
            host = urlsplit(request.url or "").hostname or ""
            SECONDS.labels(host, outcome_of(status)).observe(perf_counter() - began)


def outcome_of(status: int, *, usual: Container[int] = ()) -> str:
    """Give the word for what a provider answered: it was of use, a refusal, or no help at all.

    status: of HTTP, 0 for no answer. usual: failures that are answers like any other there.
    """
    if status == 0 or status >= 500 or status == 429:
        return "unavailable"
    return "ok" if status < 400 or status in usual else "refused"
