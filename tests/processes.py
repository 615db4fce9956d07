"""Real processes of the service for tests: a web server, and scripts that may be killed.

They inherit the environment of ``tests.environment`` and so meet the same stand-ins.
"""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from django.db import connection

ROOT = Path(__file__).resolve().parents[1]
GUNICORN = "config/gunicorn.py"
STOP_SECONDS = 10


@dataclass(frozen=True, slots=True)
class WebServer:
    """A running gunicorn. log: everything it printed. pid: of its master."""

    url: str
    log: Path
    pid: int


@contextmanager
def web_server(
    directory: Path,
    *,
    threads: int | None = 8,
    workers: int | None = 1,
    application: str = "config.wsgi",
    **environment: str,
) -> Iterator[WebServer]:
    """Serve an application on loopback while the block runs.

    directory: where its log goes. threads, workers: None for as many as config/gunicorn.py says.
    environment: what differs from this process's.
    """
    log = directory / "gunicorn.log"
    with socket.socket() as listener, log.open("wb") as output:
        listener.bind(("127.0.0.1", 0))
        # Listening before gunicorn runs: whoever connects early waits instead of being refused.
        listener.listen(128)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        command = [sys.executable, "-m", "gunicorn", application, "--config", GUNICORN]
        command += ["--bind", f"fd://{listener.fileno()}", "--graceful-timeout", "1"]
        command += ["--threads", str(threads)] if threads else []
        command += ["--workers", str(workers)] if workers else []
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**_plain_environment(), "BASE_URL": url, **environment},
            stdout=output,
            stderr=output,
            pass_fds=[listener.fileno()],
            start_new_session=True,
        )
        # From now on only the server holds the socket: its end is the callers' end as well.
        listener.close()
        try:
            yield WebServer(url, log, process.pid)
        finally:
            stop(process)


def _plain_environment() -> dict[str, str]:
    """Give this process's, without what a person who starts the server does not say either."""
    return {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a process that leads its session, and those it has started: by force if need be."""
    process.terminate()
    try:
        process.wait(timeout=STOP_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=STOP_SECONDS)


def database_url() -> str:
    """Give the address of the test's own database, for a child process."""
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{database['NAME']}"
    user, password, host = (database[part] for part in ("USER", "PASSWORD", "HOST"))
    port = f":{database['PORT']}" if database["PORT"] else ""
    # A private server listens on a socket only, whose folder stands among the options.
    socket_folder = database["OPTIONS"].get("host")
    query = f"?{urlencode({'host': socket_folder})}" if socket_folder else ""
    return f"postgres://{user}:{password}@{host}{port}/{database['NAME']}{query}"
