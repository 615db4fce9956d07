"""How the payment provider answers, in figures."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from urllib.parse import urlsplit

from prometheus_client import Histogram

from config.lib.outcomes import outcome_of

SECONDS = Histogram(
    "classes_payment_call_seconds",
    "How long calls to the payment provider took, by what was called and outcome.",
    ["operation", "outcome"],
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8),
)
# Strangers' notices name payments that are none; a provider of identities has no such answers.
NOT_THERE = 404
# What has a digit is somebody's; but a version is part of the address.
_ID = re.compile(r"/(?!v\d\b)[^/]*\d[^/]*")


class Call:
    """A call that is under way. status: the provider's answer, 0 until there is one."""

    status = 0


@contextmanager
def timed(method: str, url: str) -> Iterator[Call]:
    """Count one call; whoever makes it says what was answered."""
    began, call = perf_counter(), Call()
    try:
        yield call
    finally:
        seconds = perf_counter() - began
        outcome = outcome_of(call.status, usual=(NOT_THERE,))
        SECONDS.labels(name_operation(method, url), outcome).observe(seconds)


def name_operation(method: str, url: str) -> str:
    """Name what is called, as in ``GET /v1/payments/:id``: whose it is does not matter."""
    return f"{method} {_ID.sub('/:id', urlsplit(url).path)}"
