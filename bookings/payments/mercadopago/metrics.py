"""Durations and outcomes of calls."""

import re
from urllib.parse import urlsplit

from prometheus_client import Histogram

from config.lib.provider_calls import outcome_of

SECONDS = Histogram(
    "classes_payment_call_seconds",
    "How long calls to the payment provider took, by what was called and outcome.",
    ["operation", "outcome"],
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8),
)
# A path segment with a digit is an id, except the API's version.
_ID = re.compile(r"/(?!v\d\b)[^/]*\d[^/]*")


def seconds_of(method: str, url: str, status: int) -> Histogram:
    """status: of HTTP, 0 for no answer."""
    # Notifications from strangers name payments that do not exist, so a 404 is no failure.
    return SECONDS.labels(name_operation(method, url), outcome_of(status, usual=(404,)))


def name_operation(method: str, url: str) -> str:
    """Return a name like ``GET /v1/payments/:id``."""
    return f"{method} {_ID.sub('/:id', urlsplit(url).path)}"
