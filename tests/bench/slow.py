"""What slow clients cost the others: the shipped nginx and gunicorn, and gunicorn alone.

``python -m tests.bench.slow``: 200 connections send one byte a second, half of them in their
header and half in their body, while others ask for pages. Ends with 1 when one of these is not
answered within a second behind the proxy. Without nginx there is nothing to judge: it says so.
"""

import argparse
import http.client
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from tests.bench.crawlers import crawlers
from tests.bench.proxy import find_nginx, proxy
from tests.processes import ROOT, WebServer, web_server

LIMIT_SECONDS = 1.0
PATIENCE_SECONDS = 3.0
PATHS = ("/", "/inicio", "/api/auth/session", "/readyz")
CLIENTS = 4
# Until all are inside.
RUSH_SECONDS = 5


def main() -> int:
    """Measure, print a table, judge."""
    options = _read_arguments()
    print(f"{options.slow} slow connections, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"{'':<20} {'slow inside':>11} {'sent away':>10} {'in time':>12} {'worst':>9}")
    with tempfile.TemporaryDirectory() as name, running_service(Path(name)) as server:
        if find_nginx() is None:
            print("nginx is not installed: nothing is judged.")
            in_time = options.requests
        else:
            with proxy(Path(name), server.url) as front:
                in_time = measure("nginx and gunicorn", front, options)
        measure("gunicorn alone", server.url, options)
    return in_time < options.requests


def _read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slow", type=int, default=200, help="slow connections")
    parser.add_argument("--requests", type=int, default=20, help="ordinary requests beside them")
    return parser.parse_args()


def measure(name: str, url: str, options: argparse.Namespace) -> int:
    """Ask beside the slow ones; print and give how many answers came in time."""
    for path in PATHS:
        ask(url, path)  # not counted: the first request of each kind loads things
    with crawlers(url, options.slow) as crowd:
        time.sleep(RUSH_SECONDS)
        with ThreadPoolExecutor(CLIENTS) as pool:
            paths = [PATHS[number % len(PATHS)] for number in range(options.requests)]
            seconds = list(pool.map(lambda path: ask(url, path), paths))
        inside, ended = crowd.inside, crowd.ended
    in_time = sum(took < LIMIT_SECONDS for took in seconds)
    worst = f"{max(seconds):.3f} s" if max(seconds) < PATIENCE_SECONDS else "none"
    share = f"{in_time} of {options.requests}"
    print(f"{name:<20} {inside:>11} {ended:>10} {share:>12} {worst:>9}")
    return in_time


def ask(url: str, path: str) -> float:
    """Give how many seconds the answer took; at least PATIENCE_SECONDS when there was none."""
    began = time.monotonic()
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=PATIENCE_SECONDS)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
    except OSError:
        return PATIENCE_SECONDS
    finally:
        connection.close()
    if answer.status >= http.client.BAD_REQUEST:
        raise RuntimeError(f"{path} was answered {answer.status}")
    return time.monotonic() - began


@contextmanager
def running_service(folder: Path) -> Iterator[WebServer]:
    """Serve the product as shipped, on a SQLite database of its own."""
    variables = {
        "ENV_FILE": "",
        "DEMO": "true",
        "DATABASE_URL": f"sqlite:///{folder / 'db.sqlite3'}",
        "ADMIN_EMAIL": "teacher@example.com",
        "EMAIL_URL": "dummymail://",
    }
    subprocess.run(
        [sys.executable, "manage.py", "migrate", "--verbosity", "0", "--skip-checks"],
        cwd=ROOT,
        env={**os.environ, **variables},
        check=True,
    )
    with web_server(folder, threads=None, workers=None, **variables) as server:
        yield server


if __name__ == "__main__":
    sys.exit(main())
