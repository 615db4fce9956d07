"""``open_loop``: a mix of everything at a quarter of what the service can do, whoever is slow.

Requests leave when their time has come, and latency counts from then. Goal P9.
"""

import http.client
import itertools
import random
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

from tests.bench.budgets import goal_of
from tests.bench.clients import PATIENCE_SECONDS, Request, fetch, send_load, send_one
from tests.bench.operations import Operation, list_operations
from tests.bench.options import Options
from tests.bench.results import Measure, Part
from tests.bench.service import running_service
from tests.drills.report import percentile
from tests.drills.standins import Remote

# Of a hundred requests.
MIX = {"calendar": 45, "session": 25, "user-data": 10, "inicio": 5, "booking": 8, "join": 7}
SHARE = 0.25
SECONDS, QUICK_SECONDS = 6, 2
CLIENTS = 32
# Our own clients need the machine as well.
FASTEST = 400
SAMPLE = 4_000


def run(options: Options, google: Remote) -> Part:
    """Find out what the mix can do, then send it evenly."""
    seconds = QUICK_SECONDS if options.is_quick else SECONDS
    with running_service() as server:
        fetch(server.url, Request("GET", "/api/calendar"))
        operations = {one.name: one for one in list_operations("")}
        capacity = send_load(server.url, mix(operations, SAMPLE), seconds=3).per_second
        rate = min(capacity * SHARE, FASTEST)
        rounds = [
            _send_evenly(server.url, mix(operations, round(rate * seconds)), rate)
            for _ in range(options.rounds)
        ]
    tails = [percentile(took, 0.99) / percentile(took, 0.5) for took, _ in rounds]
    errors = [float(wrong) for _, wrong in rounds]
    beside = {
        "arrivals/s": round(rate),
        "p50 ms": sorted(percentile(took, 0.5) * 1000 for took, _ in rounds)[len(rounds) // 2],
        "p99 ms": sorted(percentile(took, 0.99) * 1000 for took, _ in rounds)[len(rounds) // 2],
    }
    measures = [
        Measure("mix", "p99, x p50", tails, goal_of("open", "tail", options.engine), beside=beside),
        Measure("mix", "answers that were not 200", errors, goal_of("open", "errors", "")),
    ]
    return Part("open_loop", options.engine, measures, raw={"capacity": capacity, "rate": rate})


def mix(operations: dict[str, Operation], number: int) -> list[Request]:
    """Give so many requests in a random order."""
    requests = []
    for name, share in MIX.items():
        wanted = max(1, number * share // 100)
        taken = operations[name].take(wanted)
        requests += list(itertools.islice(itertools.cycle(taken), wanted))
    random.shuffle(requests)
    return requests


def _send_evenly(url: str, requests: list[Request], rate: float) -> tuple[list[float], int]:
    """Send each request when it is due; sorted seconds from then to its answer, and failures."""
    began = time.perf_counter() + 0.2
    due = iter([(began + number / rate, one) for number, one in enumerate(requests)])

    def work(_: int) -> list[tuple[float, int]]:
        connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=PATIENCE_SECONDS)
        answers = []
        for moment, request in due:  # a list's iterator: each thread takes what is next
            time.sleep(max(0.0, moment - time.perf_counter()))
            status = send_one(connection, request)
            answers.append((time.perf_counter() - moment, status))
        connection.close()
        return answers

    with ThreadPoolExecutor(CLIENTS) as pool:
        answers = [one for part in pool.map(work, range(CLIENTS)) for one in part]
    return sorted(took for took, _ in answers), sum(status != 200 for _, status in answers)
