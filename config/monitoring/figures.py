"""Request timings, batched per process.

Writing a figure where all processes share it costs about as much as a twentieth of the smallest
answer. So each process counts in its own memory, and a timer adds the batch to the shared histogram
a second after its first request. Metrics lag behind by that much.
"""

from bisect import bisect_left
from threading import Lock, Timer
from typing import Any

from prometheus_client import Histogram

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
SECONDS = Histogram(
    "classes_http_request_seconds",
    "How long requests took, by method, route and status.",
    ["method", "route", "status"],
    buckets=BUCKETS,
)
HAND_ON_AFTER = 1.0  # seconds

# Method, route and status.
Kind = tuple[str, str, int]


class RequestFigures:
    """What came together since it was handed on last.

    For each kind of request a list: how many fell into each bucket, the last without an end; then
    the seconds of all together.
    """

    def __init__(self) -> None:
        self._lock, self._handing_on = Lock(), Lock()
        self._waiting: dict[Kind, list[float]] = {}

    def add(self, kind: Kind, seconds: float) -> None:
        """Count one request."""
        with self._lock:
            is_first = not self._waiting
            counts = self._waiting.get(kind)
            if counts is None:
                counts = self._waiting[kind] = [0.0] * (len(BUCKETS) + 2)
            counts[bisect_left(BUCKETS, seconds)] += 1
            counts[-1] += seconds
        if is_first:
            timer = Timer(HAND_ON_AFTER, self.hand_on)
            timer.daemon = True  # the end of the process does not wait for it
            timer.start()

    def hand_on(self) -> None:
        """Add what came together to what all processes share."""
        with self._handing_on:  # a caller may rely on a batch that another thread has taken
            with self._lock:
                waiting, self._waiting = self._waiting, {}
            for kind, counts in waiting.items():
                # A histogram can be told of one request at a time only; its parts of many.
                timer: Any = SECONDS.labels(*kind)
                timer._sum.inc(counts[-1])
                for bucket, number in zip(timer._buckets, counts[:-1], strict=True):
                    if number:
                        bucket.inc(number)


figures = RequestFigures()
