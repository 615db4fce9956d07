"""``provider``: what a slow or broken calendar does to those who do not need it. Goals P3 and P8.

The list may be one second old here, so that a round sees it renewed several times; everything
else is as shipped.
"""

import http.client
import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from config.gunicorn import workers
from tests.bench.budgets import goal_of
from tests.bench.burst import burst
from tests.bench.clients import (
    PATIENCE_SECONDS,
    Load,
    Request,
    fetch,
    send_load,
    send_one,
)
from tests.bench.google import count_listings
from tests.bench.operations import JSON_TYPE, Crowd
from tests.bench.options import Options
from tests.bench.results import Measure, Part
from tests.bench.scene import add_teacher, add_waiting_classes, preference_of
from tests.bench.service import running_service
from tests.drills.standins import Remote
from tests.standins import Fault

CALLERS, WAITING = 16, 2_000
DELAY_SECONDS, CACHE_SECONDS = 0.3, 1
SECONDS, ROUNDS, QUICK_ROUNDS = 4, 3, 1
NEWCOMERS = 100
OK = 200
LIST = Request("GET", "/api/calendar")


def run(options: Options, google: Remote) -> Part:
    """Measure at rest, with a slow provider, beside those who wait for it, and while it is down."""
    crowd = Crowd()
    [cookie] = crowd.grow_to(1)
    add_teacher(google)
    add_waiting_classes(1, WAITING)
    session = Request("GET", "/api/auth/session", "", {"Cookie": cookie})
    preferences = iter(range(1, WAITING + 1))
    rounds = []
    with running_service(CALENDAR_CACHE_SECONDS=str(CACHE_SECONDS)) as server:
        for request in (LIST, session):
            _probe(server.url, request)
        for _ in range(QUICK_ROUNDS if options.is_quick else ROUNDS):
            rounds.append(_round(server.url, session, google, preferences))
    colds = [_cold(google) for _ in rounds]
    return _conclude(options.engine, rounds, colds)


def _round(
    url: str, session: Request, google: Remote, preferences: Iterator[int]
) -> dict[str, Any]:
    told: dict[str, Any] = {
        "list at rest": _probe(url, LIST),
        "session at rest": _probe(url, session),
    }
    asked = count_listings(google)
    told["list, well"] = send_load(url, [LIST], seconds=SECONDS)
    told["calls"] = count_listings(google) - asked
    google.break_down(Fault.delay(DELAY_SECONDS))
    told["list, slow"] = send_load(url, [LIST], seconds=SECONDS)
    with _callers(url, preferences) as answers:
        told["list beside"] = _probe(url, LIST)
        told["session beside"] = _probe(url, session)
    told["callers"] = answers
    google.break_down(Fault.status(503))
    told["list, down"] = send_load(url, [LIST], seconds=SECONDS)
    google.heal()
    _wait_for_list(url)
    return told


def _wait_for_list(url: str) -> None:
    """Wait until the service asks the calendar again, which it leaves alone for some seconds."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if fetch(url, LIST)[0] == OK:
            return
        time.sleep(0.2)
    raise TimeoutError("the list did not come back")


def _probe(url: str, request: Request) -> Load:
    """Ask one after the other: what somebody waits who comes by."""
    return send_load(url, [request], seconds=SECONDS / 2, clients=1)


@contextmanager
def _callers(url: str, preferences: Iterator[int]) -> Iterator[list[int]]:
    """Let sixteen ask for classes to be scheduled, one after the other; the statuses they get."""
    over, answers = threading.Event(), list[int]()

    def ask() -> None:
        connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=PATIENCE_SECONDS)
        while not over.is_set():
            body = f'{{"preferenceId": "{preference_of(next(preferences))}"}}'
            answers.append(send_one(connection, Request("POST", LIST.path, body, JSON_TYPE)))
        connection.close()

    threads = [threading.Thread(target=ask) for _ in range(CALLERS)]
    for thread in threads:
        thread.start()
    try:
        yield answers
    finally:
        over.set()
        for thread in threads:
            thread.join()


def _cold(google: Remote) -> int:
    """Count the calls when a hundred come at once, and nobody has the list yet."""
    google.break_down(Fault.delay(DELAY_SECONDS))
    try:
        with running_service() as server:
            asked = count_listings(google)
            burst(server.url, [LIST] * NEWCOMERS)
            return count_listings(google) - asked
    finally:
        google.heal()


def _conclude(engine: str, rounds: list[dict[str, Any]], colds: list[int]) -> Part:
    allowed = workers * (math.ceil(SECONDS / CACHE_SECONDS) + 1)
    well = [told["list, well"].per_second for told in rounds]

    def measure(name: str, figure: str, values: list[float], goal: str, **more: Any) -> Measure:
        return Measure(name, figure, values, goal_of("provider", goal, engine), **more)

    measures = [
        measure(
            "calls of 4 s", "share of allowed", [t["calls"] / allowed for t in rounds], "calls"
        ),
        measure("100 on a cold cache", "calls of a process", [c / workers for c in colds], "cold"),
    ]
    for name in ("list", "session"):
        tails = [t[f"{name} beside"].p99_ms / t[f"{name} at rest"].p99_ms for t in rounds]
        beside = {
            "at rest ms": median(t[f"{name} at rest"].p99_ms for t in rounds),
            "beside ms": median(t[f"{name} beside"].p99_ms for t in rounds),
        }
        operation = f"{name}, p99 beside {CALLERS} callers"
        measures.append(measure(operation, "x at rest", tails, "tail", beside=beside))
    for name in ("slow", "down"):
        loads = [told[f"list, {name}"] for told in rounds]
        rates = [_good(load) / rate for load, rate in zip(loads, well, strict=True)]
        wrong = [float(load.answers - load.statuses.get(OK, 0)) for load in loads]
        operation = f"list, provider {name}"
        measures.append(measure(operation, "rate, x well", rates, "rate", sense="at least"))
        measures.append(measure(operation, "answers that were not 200", wrong, "errors"))
    return Part("provider", engine, measures, raw=_plain(rounds))


def _good(load: Load) -> float:
    return load.statuses.get(OK, 0) / load.seconds


def _plain(rounds: list[dict[str, Any]]) -> Any:
    return [
        {name: asdict(value) if isinstance(value, Load) else value for name, value in told.items()}
        for told in rounds
    ]
