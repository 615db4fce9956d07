"""How soon the webhook answers while the payment provider is down.

``python -m tests.bench.webhook``: gunicorn as it is shipped, PostgreSQL, signed notices from
several clients at once, and a provider that is well, refuses, hangs or is slow. A bare Django view
answers the same requests in the same run. Ends with 1 when a p99 is over the limit.
"""

import argparse
import json
import multiprocessing
import os
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import psycopg

from config.gunicorn import threads, workers
from tests.bench.databases import migrated
from tests.bench.load import Latencies, Letter, post_all
from tests.bench.service import START_SECONDS, gunicorn
from tests.standins import Fault, MercadoPagoStandin
from tests.standins.mercadopago_notices import signature

LIMIT_MS = 300
SECRET = "bench-secret"
SLOW_SECONDS = 3.0  # just within the time-out of a call
MOST_LOOKS = 5_000


def main() -> int:
    """Measure, print a table, judge."""
    options = _read_arguments()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {sys.version.split()[0]}")
    print(
        f"{workers} x {threads} threads, {options.clients} clients, {options.count} notices each\n"
    )
    print(f"{'provider':<10} {'p50':>8} {'p95':>8} {'p99':>8} {'max':>8}  ms   stored")
    worst = 0.0
    with (
        tempfile.TemporaryDirectory(prefix="bench-") as directory,
        migrated("postgresql", Path(directory)) as copies,
        copies.copy() as database,
        gunicorn("tests.bench.bare:application") as bare,
    ):
        for round_, (name, provider) in enumerate(PROVIDERS.items(), start=1):
            with provider() as address, service(database, address) as url:
                measure(url, options, offset=round_ * 10**9)  # not counted: it warms both up
                stored = count_notices(database)
                took = measure(url, options, offset=round_ * 10**9 + options.count)
                stored = count_notices(database) - stored
            show(name, took, stored)
            if stored != len(took.sorted_ms):
                print("    not every notice that was answered is stored")
                return 1
            worst = max(worst, took.percentile(0.99))
            show("(bare)", measure(bare.url, options, offset=0), 0)
    print(f"\nload {os.getloadavg()[0]:.1f}; worst p99 {worst:.0f} ms, limit {LIMIT_MS} ms")
    return worst > LIMIT_MS


def _read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="notices for each provider")
    parser.add_argument("--clients", type=int, default=8, help="how many post at once")
    parser.add_argument("--seconds", type=float, default=60, help="longest for each provider")
    return parser.parse_args()


def measure(url: str, options: argparse.Namespace, *, offset: int) -> Latencies:
    """Post notices about payments that nobody told of before."""
    return post_all(
        url,
        lambda number: write_notice(offset + number),
        count=options.count,
        clients=options.clients,
        seconds=options.seconds,
    )


def write_notice(number: int) -> Letter:
    """Write a signed notice as Mercado Pago does."""
    body = {
        "id": number,
        "live_mode": True,
        "type": "payment",
        "action": "payment.updated",
        "data": {"id": str(number)},
    }
    ts = str(int(time.time()))
    digest = signature(SECRET, str(number), f"request-{number}", ts)
    return (
        f"/api/webhooks/mercadopago?data.id={number}&type=payment",
        json.dumps(body).encode(),
        {"x-signature": f"ts={ts},v1={digest}", "x-request-id": f"request-{number}"},
    )


def show(name: str, took: Latencies, stored: int) -> None:
    figures = [took.percentile(share) for share in (0.5, 0.95, 0.99, 1)]
    failures = f"  {len(took.failures)} failed: {set(took.failures)}" if took.failures else ""
    print(f"{name:<10}", *(f"{ms:8.1f}" for ms in figures), f"      {stored or '':>6}{failures}")


# --- Providers ------------------------------------------------------------------------------------


@contextmanager
def well() -> Iterator[str]:
    """Answer at once that there is no such payment."""
    with running_standin() as url:
        yield url


@contextmanager
def refusing() -> Iterator[str]:
    """Listen nowhere."""
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))  # without listen() whoever connects is refused
        yield f"http://127.0.0.1:{reserved.getsockname()[1]}"


@contextmanager
def hanging() -> Iterator[str]:
    """Take connections and say nothing."""
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


@contextmanager
def slow() -> Iterator[str]:
    """Answer each look at a payment after some seconds."""
    with running_standin(SLOW_SECONDS) as url:
        yield url


PROVIDERS = {"well": well, "refuses": refusing, "hangs": hanging, "is slow": slow}


@contextmanager
def running_standin(seconds: float = 0) -> Iterator[str]:
    """Run the stand-in in a process of its own: the clients are measured in this one."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=_stand_in, args=(there, seconds), daemon=True
    )
    process.start()
    there.close()  # only the child's end is left: if it dies, nobody waits for it
    try:
        yield here.recv()
    finally:
        here.send("stop")
        process.join(START_SECONDS)


def _stand_in(pipe: Connection, seconds: float) -> None:
    standin = MercadoPagoStandin()
    standin.start()
    if seconds:
        standin.fault("payments.get", *[Fault.delay(seconds)] * MOST_LOOKS)
    pipe.send(standin.url)
    pipe.recv()
    standin.stop()


# --- Servers --------------------------------------------------------------------------------------


def count_notices(database: str) -> int:
    with psycopg.connect(database) as connection:
        [row] = connection.execute("SELECT count(*) FROM bookings_paymentnotification").fetchall()
        return int(row[0])


def environment(database: str, **changes: str) -> dict[str, str]:
    """Give the service's environment: as in production, but with a provider on plain http."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return {
        **kept,
        "ENV_FILE": "",
        "DEMO": "true",
        "BASE_URL": "http://127.0.0.1",
        "DATABASE_URL": database,
        "ADMIN_EMAIL": "teacher@example.com",
        "EMAIL_URL": "dummymail://",
        "MERCADOPAGO_ACCESS_TOKEN": "TEST-1-2-bench-1000000001",
        "MERCADOPAGO_WEBHOOK_SECRET": SECRET,
        **changes,
    }


@contextmanager
def service(database: str, provider: str) -> Iterator[str]:
    """Serve the whole product as README says."""
    variables = environment(database, MERCADOPAGO_API_URL=provider)
    with gunicorn("config.wsgi", variables) as server:
        yield server.url


if __name__ == "__main__":
    sys.exit(main())
