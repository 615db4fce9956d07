"""Real processes of the service for tests: a web server, and what may be killed.

They inherit the environment of ``tests.environment`` and so meet the same stand-ins.
"""

import multiprocessing
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from multiprocessing import forkserver
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import urlencode

from django.db import connection
from django.test import override_settings

ROOT = Path(__file__).resolve().parents[1]
GUNICORN = "config/gunicorn.py"
STOP_SECONDS = 10
# Far longer than anything takes that is forked.
CHILD_SECONDS = 120
# Started with the first process; it ends by itself as soon as this one does, however that is.
_fork_server = multiprocessing.get_context("forkserver")
_fork_server.set_forkserver_preload(["config.wsgi"])


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


def run_forked(work: Callable[..., None], *arguments: Any, **settings: Any) -> int:
    """Do as ``start_forked`` does, wait for the end, and give the exit code: -9 after SIGKILL."""
    return wait_for_end(start_forked(work, *arguments, **settings))


def start_forked(work: Callable[..., None], *arguments: Any, **settings: Any) -> BaseProcess:
    """Start a process of the service, which does a piece of work and ends.

    It is forked from a server that has loaded the service and does nothing with it : so it
    costs milliseconds, and shares neither connections nor threads, nor what a test has changed in
    this process. work: a function of a module, or a ``partial`` of
    one. settings: those that are to differ from the environment's.
    """
    process = _fork_server.Process(target=_live, args=(work, arguments, settings))
    _start_fork_server(database_url())
    process.start()
    return process


@cache
def _start_fork_server(url: str) -> None:
    """Start the server for the database of this run's tests; it keeps the environment it got."""
    surroundings = {"DJANGO_SETTINGS_MODULE": "config.settings", "DATABASE_URL": url}
    with patch.dict(os.environ, surroundings):
        forkserver.ensure_running()


def wait_for_end(process: BaseProcess) -> int:
    """Give the exit code of a forked process. Raises TimeoutError after having to kill it."""
    process.join(CHILD_SECONDS)
    if process.exitcode is None:
        process.kill()
        process.join()
        raise TimeoutError(f"A forked process did not end within {CHILD_SECONDS} s.")
    return process.exitcode


def _live(work: Callable[..., None], arguments: tuple[Any, ...], settings: dict[str, Any]) -> None:
    with override_settings(**settings):
        work(*arguments)


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
