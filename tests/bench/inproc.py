"""``inproc``: the WSGI application called directly, in rounds that begin with the floor.

CPU of the answering thread alone: what follows a commit in another thread is a column beside it.
"""

import io
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from threading import current_thread
from threading import enumerate as living_threads
from typing import Any
from urllib.parse import urlsplit

from config.wsgi import application as service
from tests.bench.budgets import goal_of
from tests.bench.clients import PROXY_HEADERS, Request
from tests.bench.floor_in_process import floor_handler
from tests.bench.operations import FLOOR, Operation, list_operations
from tests.bench.options import Options
from tests.bench.quiet import best_floor_of_host
from tests.bench.results import Measure, Part
from tests.bench.spread import quiet_rounds
from tests.drills.standins import Remote
from tests.statements import statements

Application = Callable[..., Any]
CPU_SECONDS, QUICK_CPU_SECONDS = 0.06, 0.02
ROUNDS, QUICK_ROUNDS = 11, 5
FEWEST_CALLS = 5


@dataclass(slots=True)
class Target:
    """An operation, the application it is asked of, and what it cost in each round."""

    operation: Operation
    application: Application
    calls: int = FEWEST_CALLS
    statements: int = 0
    cpu: list[float] = field(default_factory=list)  # seconds a call
    with_errands: list[float] = field(default_factory=list)


def run(options: Options, google: Remote) -> Part:
    """Measure every operation."""
    _, headers = call(service, environ_of(Request("GET", "/api/calendar")))
    operations = list_operations(headers.get("ETag", ""))
    floor = Target(FLOOR, floor_handler())
    targets = [floor, *(Target(operation, service) for operation in operations)]
    seconds = QUICK_CPU_SECONDS if options.is_quick else CPU_SECONDS
    for target in targets:
        _warm_up(target, seconds)
    for number in range(QUICK_ROUNDS if options.is_quick else ROUNDS):
        for target in targets if number % 2 == 0 else reversed(targets):
            _measure(target)
    return _conclude(options, floor, targets[1:])


def environ_of(request: Request) -> dict[str, Any]:
    """Give what a WSGI server passes on for a request."""
    parts = urlsplit(request.path)
    body = request.body.encode()
    headers = {**PROXY_HEADERS, **request.headers}
    kind = headers.pop("Content-Type", "")
    return {
        "REQUEST_METHOD": request.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": parts.path,
        "QUERY_STRING": parts.query,
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "CONTENT_TYPE": kind,
        "CONTENT_LENGTH": str(len(body)) if body else "",
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": io.StringIO(),
        "wsgi.url_scheme": "http",
        **{f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()},
    }


def call(application: Application, environ: dict[str, Any]) -> tuple[int, dict[str, str]]:
    """Have a request answered, and read the answer to its end; its status and headers."""
    told: list[Any] = []
    answer = application(environ, lambda *start: told.append(start))
    for _ in answer:
        pass
    answer.close()
    status, headers, *_ = told[0]
    return int(status[:3]), dict(headers)


def _warm_up(target: Target, seconds: float) -> None:
    """Find out how many calls fill a round, and count the statements of one."""
    [first, counted, *rest] = _environs(target, 2 + 2 * FEWEST_CALLS)
    call(target.application, first)
    with statements() as seen:
        call(target.application, counted)
    target.statements = len(seen)
    began = time.thread_time()
    for environ in rest:
        call(target.application, environ)
    took = (time.thread_time() - began) / len(rest)
    wait_for_errands()
    target.calls = max(FEWEST_CALLS, round(seconds / took))


def _environs(target: Target, number: int) -> list[dict[str, Any]]:
    requests = target.operation.take(number)
    return [environ_of(requests[index % len(requests)]) for index in range(number)]


def _measure(target: Target) -> None:
    """Answer a batch. Raises RuntimeError for a status that is not the operation's."""
    environs = _environs(target, target.calls)
    began, began_all = time.thread_time(), time.process_time()
    statuses = [call(target.application, environ)[0] for environ in environs]
    took = time.thread_time() - began
    wait_for_errands()
    took_all = time.process_time() - began_all
    wrong = set(statuses) - {target.operation.expected}
    if wrong:
        raise RuntimeError(f"{target.operation.name} was answered with {wrong}")
    target.cpu.append(took / target.calls)
    target.with_errands.append(took_all / target.calls)


def wait_for_errands() -> None:
    """Let the threads end that answers have started."""
    for thread in living_threads():
        if thread is not current_thread() and not thread.daemon:
            thread.join()


def _conclude(options: Options, floor: Target, targets: list[Target]) -> Part:
    best = best_floor_of_host(f"inproc {options.engine}", min(floor.cpu))
    quiet = quiet_rounds(floor.cpu, best)
    kept = quiet or range(len(floor.cpu))
    measures = [
        Measure(
            target.operation.name,
            "CPU in F",
            [target.cpu[number] / floor.cpu[number] for number in kept],
            goal_of("inproc", target.operation.name, options.engine),
            beside={
                "statements": target.statements,
                "with errands": round(
                    median(target.with_errands[n] / floor.cpu[n] for n in kept), 2
                ),
            },
            is_noisy=not quiet,
        )
        for target in targets
    ]
    notes = [f"{len(quiet)} of {len(floor.cpu)} rounds were quiet"]
    if "calendar, 304" not in {target.operation.name for target in targets}:
        notes.append("GET /api/calendar gives no ETag")
    raw = {one.operation.name: {"cpu": one.cpu, "calls": one.calls} for one in [floor, *targets]}
    return Part("inproc", options.engine, measures, notes, raw)
