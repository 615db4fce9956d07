"""Who sends the load: wrk where it is installed, else a few threads of our own."""

import http.client
import itertools
import json
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from tests.drills.report import percentile

HOST = "clases.example"
# What a proxy adds, which ends TLS in front of the service.
PROXY_HEADERS = {"Host": HOST, "X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.7"}
SCRIPT = Path(__file__).with_name("requests.lua")
CLIENTS = 8
PATIENCE_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent. body: JSON text, or nothing."""

    method: str
    path: str
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Load:
    """What came of it. statuses: answers by status. failures: connections that broke."""

    seconds: float
    p50_ms: float
    p99_ms: float
    failures: int
    statuses: dict[int, int]

    @property
    def answers(self) -> int:
        """How many answers there were."""
        return sum(self.statuses.values())

    @property
    def per_second(self) -> float:
        """Answers in a second."""
        return self.answers / self.seconds


def load_tool() -> str:
    """Name what sends the load."""
    return "wrk" if shutil.which("wrk") else "threads of our own (wrk is not installed)"


def send_load(
    url: str, requests: Sequence[Request], *, seconds: float, clients: int = CLIENTS
) -> Load:
    """Send requests from kept connections, each as fast as it is answered (a closed loop).

    They are sent in turn, and from the start again when there are too few.
    """
    send = _send_by_wrk if shutil.which("wrk") else _send_by_threads
    return send(url, requests, seconds, clients)


def _send_by_wrk(url: str, requests: Sequence[Request], seconds: float, clients: int) -> Load:
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
        file.writelines(_line(request) for request in requests)
        file.flush()
        command = ["wrk", "-t1", f"-c{clients}", f"-d{max(round(seconds), 1)}s"]
        command += ["--timeout", f"{PATIENCE_SECONDS}s", "-s", str(SCRIPT), url, "--", file.name]
        ran = subprocess.run(command, check=True, capture_output=True, text=True)
    [result] = [line for line in ran.stdout.splitlines() if line.startswith("RESULT ")]
    told = json.loads(result.removeprefix("RESULT "))
    statuses = {int(status): count for status, count in told.pop("statuses").items()}
    return Load(**told, statuses=statuses)


def _line(request: Request) -> str:
    headers = {**PROXY_HEADERS, **request.headers}
    parts = [request.method, request.path, request.body]
    return "\t".join([*parts, *(word for pair in headers.items() for word in pair)]) + "\n"


def _send_by_threads(url: str, requests: Sequence[Request], seconds: float, clients: int) -> Load:
    numbers = itertools.count()
    began = time.monotonic()

    def run(_: int) -> tuple[list[float], Counter[int]]:
        took: list[float] = []
        statuses: Counter[int] = Counter()  # 0: the connection broke
        connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=PATIENCE_SECONDS)
        while time.monotonic() < began + seconds:
            request = requests[next(numbers) % len(requests)]
            start = time.perf_counter()
            statuses[send_one(connection, request)] += 1
            took.append((time.perf_counter() - start) * 1000)
        connection.close()
        return took, statuses

    with ThreadPoolExecutor(clients) as pool:
        parts = list(pool.map(run, range(clients)))
    took = [ms for part, _ in parts for ms in part]
    statuses = sum((part for _, part in parts), Counter())
    failures = statuses.pop(0, 0)
    p50, p99 = (percentile(took, share) for share in (0.5, 0.99))
    return Load(time.monotonic() - began, p50, p99, failures, dict(statuses))


def send_one(connection: http.client.HTTPConnection, request: Request) -> int:
    """Send a request and read the answer; its status, 0 when the connection broke."""
    headers = {**PROXY_HEADERS, **request.headers}
    try:
        connection.request(request.method, request.path, request.body or None, headers)
        answer = connection.getresponse()
        answer.read()
    except (OSError, http.client.HTTPException):
        connection.close()
        return 0
    return answer.status


def fetch(url: str, request: Request) -> tuple[int, Mapping[str, str]]:
    """Send one request over a connection of its own; status and headers of the answer."""
    headers = {**PROXY_HEADERS, **request.headers}
    address = urlsplit(url).netloc
    with closing(http.client.HTTPConnection(address, timeout=PATIENCE_SECONDS)) as connection:
        connection.request(request.method, request.path, request.body or None, headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status, dict(answer.headers)
