"""``startup``: what it costs to start, how much memory the workers keep, and whether it grows.

And that an install where nobody tuned anything has the fast settings. Goals P10 and P12.
"""

import os
import re
import resource
import subprocess
import sys
from pathlib import Path

from django.conf import settings
from django.db import connection

from config import gunicorn as shipped
from tests.bench.budgets import goal_of
from tests.bench.clients import Request, send_load
from tests.bench.operations import Operation, list_operations
from tests.bench.options import Options
from tests.bench.processor import PROC, family_of
from tests.bench.results import Measure, Part
from tests.bench.service import Server, running_service
from tests.drills.standins import Remote

STARTS, QUICK_STARTS = 7, 3
FEW, MANY, QUICK_MANY = 1_000, 20_000, 3_000
READS = ("calendar", "session", "user-data", "inicio")
MIB = 1024  # kB
PSS = re.compile(r"^Pss:\s+(\d+) kB", re.MULTILINE)


def run(options: Options, google: Remote) -> Part:
    """Start, look, load, and look again."""
    many = QUICK_MANY if options.is_quick else MANY
    pairs = [
        (_cpu_of_start("config.wsgi"), _cpu_of_start("tests.bench.startproject"))
        for _ in range(QUICK_STARTS if options.is_quick else STARTS)
    ]
    with running_service() as server:
        operations = [one for one in list_operations("") if one.name in READS]
        before = _sessions_of_database()
        _answer(server, operations, FEW)
        after_few = _memory(server)
        opened = _sessions_of_database() - before
        _answer(server, operations, many - FEW)
        after_many = _memory(server)

    def measure(name: str, figure: str, values: list[float], goal: str) -> Measure:
        return Measure(name, figure, values, goal_of("startup", goal, options.engine))

    starts = [ours / theirs for ours, theirs in pairs]
    measures = [
        measure("import and set-up", "CPU, x startproject's", starts, "start"),
        measure(f"{shipped.workers} workers after {FEW}", "PSS in MiB", [after_few], "memory"),
        measure(f"after {many}", "PSS, x after 1000", [after_many / after_few], "growth"),
        *_defaults(opened),
    ]
    return Part("startup", options.engine, measures, raw={"starts": pairs})


def _cpu_of_start(module: str) -> float:
    """Give the CPU seconds of a process that imports a WSGI module and ends."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", f"import {module}"]
    subprocess.run(command, check=True, env=dict(os.environ))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _answer(server: Server, operations: list[Operation], number: int) -> None:
    """Have about so many requests answered."""
    requests: list[Request] = [one for operation in operations for one in operation.take(29)]
    answered = 0
    while answered < number:
        answered += send_load(server.url, requests, seconds=1).answers


def _memory(server: Server) -> float:
    """Give the MiB that the workers have for themselves, and their share of what they share."""
    workers = [pid for pid in family_of(server.pid) if pid != server.pid]
    return sum(read_pss((PROC / str(pid) / "smaps_rollup").read_text()) for pid in workers) / MIB


def read_pss(text: str) -> int:
    """Give the proportional set size in kB."""
    return int(PSS.findall(text)[0])


def _sessions_of_database() -> int:
    """Count the connections that PostgreSQL has seen in this database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute("SELECT sessions FROM pg_stat_database WHERE datname = current_database()")
        return int(cursor.fetchone()[0])


def _defaults(opened: int) -> list[Measure]:
    """Tell what is there without tuning."""
    threads = shipped.workers * shipped.threads
    return [
        Measure(f"connections for {FEW} requests", "opened", [float(opened)], float(threads)),
        Measure("threads of a worker", "number", [float(shipped.threads)], 2.0, "at least"),
        Measure("SQLite in WAL, IMMEDIATE", "1: yes", [_is_sqlite_fast()], 1.0, "at least"),
    ]


def _is_sqlite_fast() -> float:
    """Ask a service on a new SQLite file how it opened it."""
    script = (
        "import django; django.setup()\n"
        "from django.db import connection as c\n"
        "mode = c.cursor().execute('PRAGMA journal_mode').fetchone()[0]\n"
        "print(mode, c.transaction_mode)"
    )
    file = Path(settings.STATIC_ROOT).parent / "fresh.sqlite3"
    variables = {**os.environ, "DATABASE_URL": f"sqlite:///{file}"}
    command = [sys.executable, "-c", script]
    ran = subprocess.run(command, env=variables, check=True, capture_output=True, text=True)
    return float(ran.stdout.split() == ["wal", "IMMEDIATE"])
