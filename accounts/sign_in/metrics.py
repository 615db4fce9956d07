"""Timings of calls to the identity providers."""

from time import perf_counter
from typing import Any
from urllib.parse import urlsplit

import requests
from prometheus_client import Histogram
from requests.adapters import HTTPAdapter

from config.lib.outcomes import outcome_of

SECONDS = Histogram(
    "classes_sign_in_call_seconds",
    "How long calls to the identity providers took, by host and outcome.",
    ["host", "outcome"],
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2, 4),
)


class TimedAdapter(HTTPAdapter):
    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> Any:
        began, status = perf_counter(), 0
        try:
            response = super().send(request, *args, **kwargs)
            status = response.status_code
            return response
        finally:
            host = urlsplit(request.url or "").hostname or ""
            SECONDS.labels(host, outcome_of(status)).observe(perf_counter() - began)
