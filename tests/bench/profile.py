"""``profile``: where the time of each operation goes, by package; for finding out, not for judging.

The profiler makes every call of Python dearer, so packages of many small functions look larger.
"""

import cProfile
import pstats
import time
from collections import Counter
from pathlib import PurePath

from config.wsgi import application as service
from tests.bench.clients import Request
from tests.bench.inproc import call, environ_of, wait_for_errands
from tests.bench.operations import Operation, list_operations
from tests.bench.options import Options
from tests.bench.results import Measure, Part
from tests.drills.standins import Remote

CALLS, QUICK_CALLS = 200, 50
# The first that fits names the part; a file is known by a piece of its path.
PARTS = {
    "statements": ("psycopg", "sqlite3/", "db/backends/"),
    "ORM": ("django/db/",),
    "templates": ("django/template/", "django/forms/"),
    "DRF": ("rest_framework/",),
    "middleware, Django": ("django/", "asgiref/"),
    "session token": ("jwt/", "hmac.py", "base64.py"),
    "ours": ("/bookings/", "/accounts/", "/calendar_sync/", "/config/"),
}
OWN_TIME = 2  # of a function's statistics


def run(options: Options, google: Remote) -> Part:
    """Profile every operation, one after the other."""
    _, headers = call(service, environ_of(Request("GET", "/api/calendar")))
    calls = QUICK_CALLS if options.is_quick else CALLS
    measures = [_profile(one, calls) for one in list_operations(headers.get("ETag", ""))]
    return Part("profile", options.engine, measures)


def _profile(operation: Operation, number: int) -> Measure:
    requests = operation.take(number)
    environs = [environ_of(requests[index % len(requests)]) for index in range(number)]
    call(service, environs.pop())
    profiler = cProfile.Profile(time.thread_time)
    for environ in environs:
        profiler.enable()
        call(service, environ)
        profiler.disable()
    wait_for_errands()
    stats = pstats.Stats(profiler)
    spent: Counter[str] = Counter()
    for (file, _, name), figures in stats.stats.items():  # type: ignore[attr-defined]
        spent[part_of(file, name)] += figures[OWN_TIME]
    shares = {
        part: f"{round(100 * spent[part] / spent.total())} %" for part in [*PARTS, "the rest"]
    }
    calls = stats.total_calls / len(environs)  # type: ignore[attr-defined]
    return Measure(operation.name, "calls of functions", [calls], beside=shares)


def part_of(file: str, name: str) -> str:
    """Say what a function belongs to; a built-in one is known by its name."""
    path = PurePath(file).as_posix() if file != "~" else name
    return next(
        (part for part, pieces in PARTS.items() if any(one in path for one in pieces)), "the rest"
    )
