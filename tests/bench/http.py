"""``http``: the shipped gunicorn under load, operation after operation, beside the floor's server.

CPU of all server processes for each answer, answers in a second, and how long they took.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any

from tests.bench.budgets import goal_of
from tests.bench.clients import Load, Request, fetch, send_load
from tests.bench.database import DatabaseRates, database_cpu
from tests.bench.operations import FLOOR, Operation, list_operations
from tests.bench.options import Options
from tests.bench.processor import NANOSECONDS, spent_between
from tests.bench.quiet import best_floor_of_host
from tests.bench.results import Measure, Part
from tests.bench.service import Server, gunicorn, running_service
from tests.bench.spread import quiet_rounds
from tests.drills.standins import Remote

SECONDS, QUICK_SECONDS = 2, 1
# Requests that may be sent once are made for a load this much faster than the last.
RESERVE, FEWEST = 4, 600


@dataclass(frozen=True, slots=True)
class Round:
    """A load and what it cost. cpu, database_cpu: seconds for one answer."""

    load: Load
    cpu: float
    database_cpu: float


@dataclass(slots=True, eq=False)
class Target:
    """An operation, the server it is asked of, and its rounds; None for one that went wrong."""

    operation: Operation
    server: Server
    rounds: list[Round | None] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    per_second: float = 0

    def measure(self, seconds: float) -> Round | None:
        """Load the server for some seconds; None when an answer was not the expected one."""
        wanted = max(FEWEST, round(self.per_second * seconds * RESERVE))
        requests = self.operation.take(wanted)
        before, database_before = self.server.cpu(), database_cpu()
        load = send_load(self.server.url, requests, seconds=seconds)
        used = spent_between(before, self.server.cpu())
        database_used = spent_between(database_before, database_cpu())
        self.per_second = max(self.per_second, load.per_second)
        if load.failures or set(load.statuses) != {self.operation.expected}:
            self.wrong.append(f"{load.statuses}, {load.failures} broken connections")
            return None
        answers = load.answers * NANOSECONDS
        return Round(load, used / answers, database_used / answers)


def run(options: Options, google: Remote) -> Part:
    """Load every operation, round after round."""
    seconds = QUICK_SECONDS if options.is_quick else SECONDS
    rates = DatabaseRates(seconds)
    with servers(options) as (floor_server, service):
        _, headers = fetch(service.url, Request("GET", "/api/calendar"))
        operations = list_operations(headers.get("ETag", ""))
        floor = Target(FLOOR, floor_server)
        targets = [floor, *(Target(operation, service) for operation in operations)]
        for target in targets:
            target.measure(1)
        for number in range(options.rounds):
            for target in targets if number % 2 == 0 else targets[::-1]:
                target.rounds.append(target.measure(seconds))
            rates.measure()
    return _conclude(options, floor, targets[1:], rates)


@contextmanager
def servers(options: Options) -> Iterator[tuple[Server, Server]]:
    """Serve the floor and the service, each as it is shipped."""
    with gunicorn("tests.bench.bare:application") as floor, running_service() as service:
        fetch(floor.url, Request("GET", "/"))
        yield floor, service


def _conclude(options: Options, floor: Target, targets: list[Target], rates: DatabaseRates) -> Part:
    floors = [one.cpu if one else float("inf") for one in floor.rounds]
    best = best_floor_of_host(f"http {options.engine}", min(floors))
    quiet = quiet_rounds(floors, best)
    measures, notes = [], [f"{len(quiet)} of {len(floors)} rounds were quiet"]
    for target in targets:
        for wrong in target.wrong:
            notes.append(f"{target.operation.name}: a round was refused: {wrong}")
        kept = [
            (mine, base, rate)
            for number, (mine, base) in enumerate(zip(target.rounds, floor.rounds, strict=True))
            if mine and base and (number in quiet or not quiet)
            for rate in [rates.of(number, target.operation.name)]
        ]
        if kept:
            measures += _measures_of(target.operation.name, options.engine, kept, bool(quiet))
    raw = {
        target.operation.name: [asdict(one) if one else None for one in target.rounds]
        for target in [floor, *targets]
    }
    return Part("http", options.engine, measures, notes, {**raw, "pgbench": rates.rounds})


def _measures_of(
    name: str, engine: str, kept: list[tuple[Round, Round, float | None]], is_quiet: bool
) -> Iterator[Measure]:
    beside: dict[str, Any] = {
        "p50 ms": median(mine.load.p50_ms for mine, _, _ in kept),
        "p99 ms": median(mine.load.p99_ms for mine, _, _ in kept),
    }
    if engine == "postgresql":
        beside["database CPU in F"] = median(mine.database_cpu / base.cpu for mine, base, _ in kept)
    cpu = [mine.cpu / base.cpu for mine, base, _ in kept]
    rates = [mine.load.per_second / base.load.per_second for mine, base, _ in kept]
    goal = goal_of("writers", name, engine)
    if goal:
        tails = [mine.load.p99_ms / mine.load.p50_ms for mine, _, _ in kept]
        yield Measure(name, "p99, x p50", tails, goal, is_noisy=not is_quiet)
    in_pgbench = [mine.load.per_second / rate for mine, _, rate in kept if rate]
    goal = goal_of("http-cpu", name, engine)
    yield Measure(name, "CPU in F", cpu, goal, beside=beside, is_noisy=not is_quiet)
    goal = goal_of("http-rate", name, engine)
    yield Measure(name, "requests/s in F", rates, goal, "at least", is_noisy=not is_quiet)
    if in_pgbench:
        goal = goal_of("http-pgbench", name, engine)
        figure = "requests/s in pgbench's"
        yield Measure(name, figure, in_pgbench, goal, "at least", is_noisy=not is_quiet)
