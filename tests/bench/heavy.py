"""What large and tangled bodies cost the server: memory and time.

``python -m tests.bench.heavy``: 300 MB in chunks without a length, 100,000 levels of JSON and
numbers of 5,000 digits, to the shipped gunicorn alone and, where it is installed, behind the
shipped nginx. Ends with 1 when one costs more than 50 MB or a second. Linux only: it reads /proc.
"""

import os
import select
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from urllib.parse import urlsplit

from tests.bench.proxy import find_nginx, proxy
from tests.bench.slow import running_service

LIMIT_MB = 50
LIMIT_SECONDS = 1.0
PATIENCE_SECONDS = 30
CHUNK = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
CHUNKS = 300 * 2**20 // 0x10000
HEAD = "POST /api/calendar HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
CHUNKED = "Transfer-Encoding: chunked\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. status: empty when nothing did. seconds: until it began. sent: bytes."""

    status: str
    seconds: float
    sent: int


def whole(body: bytes) -> Iterator[bytes]:
    """Give the end of the head and a body of known length."""
    yield f"Content-Length: {len(body)}\r\n\r\n".encode()
    yield body


def in_chunks(chunk: bytes, count: int) -> Iterator[bytes]:
    """Give the end of the head and a body that never says how long it is."""
    yield CHUNKED.encode()
    yield from repeat(chunk, count)
    yield b"0\r\n\r\n"


BODIES: dict[str, Callable[[], Iterator[bytes]]] = {
    "300 MB in chunks": lambda: in_chunks(CHUNK, CHUNKS),
    "100,000 levels, 100 kB": lambda: whole(b"[" * 100_000),
    "30,000 levels, 60 kB": lambda: whole(b"[" * 30_000 + b"]" * 30_000),
    "5,000 digits": lambda: whole(b'{"preferenceId": ' + b"9" * 5_000 + b"}"),
    "5,000 digits, 12 times": lambda: whole(b"[" + b",".join([b"9" * 5_000] * 12) + b"]"),
}


def main() -> int:
    """Measure, print a table, judge."""
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"{'':<20} {'body':<24} {'answer':>7} {'after':>9} {'sent':>8} {'memory':>9}")
    is_well = True
    with tempfile.TemporaryDirectory() as name, running_service(Path(name)) as server:
        is_well &= measure("gunicorn alone", server.url, server.pid)
        if find_nginx() is None:
            print("nginx is not installed: not measured behind it.")
        else:
            with proxy(Path(name), server.url) as url:
                is_well &= measure("nginx and gunicorn", url, server.pid)
    return not is_well


def measure(name: str, url: str, master: int) -> bool:
    """Send each body; print what it cost, and tell whether that was little."""
    is_well = True
    send(url, whole(b"{}"))  # not counted: the first request loads things
    for label, body in BODIES.items():
        workers = children(master)
        before = forget_peaks(workers)
        answer = send(url, body())
        cost = max(peak - was for peak, was in zip(map(peak_mb, workers), before, strict=True))
        sent = f"{answer.sent / 2**20:.1f} MB"
        took = f"{answer.seconds:.3f} s"
        print(f"{name:<20} {label:<24} {answer.status:>7} {took:>9} {sent:>8} {cost:6.1f} MB")
        is_refused = answer.status.startswith("4")
        is_well &= is_refused and cost < LIMIT_MB and answer.seconds < LIMIT_SECONDS
    return is_well


def send(url: str, body: Iterable[bytes]) -> Answer:
    """Post a body to its end, or as long as the server takes it, even after its answer."""
    parts = urlsplit(url)
    began, status, answered, sent = time.monotonic(), "", 0.0, 0
    with socket.create_connection((parts.hostname, parts.port), PATIENCE_SECONDS) as connection:
        connection.sendall(HEAD.format(host=parts.netloc).encode())
        with suppress(OSError):  # the server has enough
            for piece in body:
                if not status and has_answer(connection):
                    status, answered = read_status(connection), time.monotonic()
                connection.sendall(piece)
                sent += len(piece)
        status = status or read_status(connection)
    return Answer(status, (answered or time.monotonic()) - began, sent)


def has_answer(connection: socket.socket) -> bool:
    return bool(select.select([connection], [], [], 0)[0])


def read_status(connection: socket.socket) -> str:
    try:
        words = connection.recv(64).split()
    except OSError:
        return ""
    return words[1].decode() if len(words) > 1 else ""


def children(pid: int) -> list[int]:
    """Give the processes that a process started."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def forget_peaks(pids: list[int]) -> list[float]:
    """Begin anew to note the most memory of each; give what they have now, in MB.

    https://docs.kernel.org/filesystems/proc.html, clear_refs
    """
    for pid in pids:
        Path(f"/proc/{pid}/clear_refs").write_text("5")
    return [peak_mb(pid) for pid in pids]


def peak_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    [peak] = [line.split()[1] for line in lines if line.startswith("VmHWM")]
    return int(peak) / 1024


if __name__ == "__main__":
    sys.exit(main())
