"""A few clients that post one request after the other, and how long each took."""

import http.client
import itertools
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import urlsplit

from tests.drills.report import percentile

# (path with query, body, headers) of the request with this number.
Letter = tuple[str, bytes, dict[str, str]]
PATIENCE_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Latencies:
    """Milliseconds from sending to the end of the answer, sorted; and answers that were not 200."""

    sorted_ms: list[float]
    failures: list[str]

    def percentile(self, share: float) -> float:
        """Give the smallest latency that so many of the answers took at most."""
        return percentile(self.sorted_ms, share)


def post_all(
    url: str, letters: Callable[[int], Letter], *, count: int, clients: int, seconds: float
) -> Latencies:
    """Post ``count`` letters from ``clients`` at once; stop after ``seconds`` all the same."""
    numbers = itertools.count()
    deadline = time.monotonic() + seconds

    def run(_: int) -> tuple[list[float], list[str]]:
        took: list[float] = []
        failures: list[str] = []
        while (number := next(numbers)) < count and time.monotonic() < deadline:
            letter = letters(number)
            began = time.perf_counter()
            outcome = _post(url, letter)
            took.append((time.perf_counter() - began) * 1000)
            if outcome != "200":
                failures.append(outcome)
        return took, failures

    with ThreadPoolExecutor(clients) as pool:
        parts = list(pool.map(run, range(clients)))
    return Latencies(
        sorted(ms for took, _ in parts for ms in took), [one for _, bad in parts for one in bad]
    )


def _post(url: str, letter: Letter) -> str:
    """Send one letter over a connection of its own, as a provider does."""
    path, body, headers = letter
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=PATIENCE_SECONDS)
    try:
        connection.request("POST", path, body, {"Content-Type": "application/json", **headers})
        answer = connection.getresponse()
        answer.read()
    except OSError as error:
        return type(error).__name__
    else:
        return str(answer.status)
    finally:
        connection.close()
