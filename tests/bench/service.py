"""The real thing on loopback: databases of our own, and gunicorn as it is shipped."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.bench.clients import HOST, Request, fetch
from tests.bench.processor import cpu_of_all, family_of
from tests.processes import GUNICORN, ROOT, stop

TEACHER_EMAIL = "teacher@example.com"
CALENDAR_KEY = "bench-key"
START_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Server:
    """A running gunicorn. pid: of its master."""

    url: str
    pid: int

    def cpu(self) -> dict[int, int]:
        """Give the nanoseconds on a processor of master and workers."""
        return cpu_of_all(family_of(self.pid))


def environment(database: str, directory: Path, **changes: str) -> dict[str, str]:
    """Give a production's environment: https behind a proxy, and only what has to be set is."""
    kept = ("PATH", "HOME", "LANG", "PIP_")
    return {
        **{name: value for name, value in os.environ.items() if name.startswith(kept)},
        "DJANGO_SETTINGS_MODULE": "tests.bench.settings",
        "ENV_FILE": "",
        "SECRET_KEY": "bench-" + "k" * 60,
        "FIELD_KEYS": "YmVuY2gtYmVuY2gtYmVuY2gtYmVuY2gtYmVuY2gtYmU=",
        "BASE_URL": f"https://{HOST}",
        "TRUSTED_PROXIES": "1",
        "DATABASE_URL": database,
        "ADMIN_EMAIL": TEACHER_EMAIL,
        "EMAIL_URL": "dummymail://",
        "AUTH_PROVIDER_ID": "bench-google",
        "AUTH_PROVIDER_SECRET": "bench-google-secret",
        "GITHUB_ID": "bench-github",
        "GITHUB_SECRET": "bench-github-secret",
        "CALENDAR_ID": TEACHER_EMAIL,
        "CALENDAR_API_KEY": CALENDAR_KEY,
        "BENCH_GOOGLE_URL": "http://127.0.0.1:9",
        "BENCH_STATIC_ROOT": str(directory / "static"),
        **changes,
    }


def manage(variables: dict[str, str], *arguments: str) -> None:
    """Run one of the service's commands. Raises CalledProcessError."""
    command = [sys.executable, "manage.py", *arguments]
    subprocess.run(command, cwd=ROOT, env=variables, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def gunicorn(application: str, variables: dict[str, str] | None = None) -> Iterator[Server]:
    """Serve an application on loopback with the shipped configuration."""
    command = [sys.executable, "-m", "gunicorn", application, "--config", GUNICORN]
    with gunicorn_command(command, variables, ROOT) as server:
        yield server


@contextmanager
def gunicorn_command(
    command: list[str], variables: dict[str, str] | None, directory: Path
) -> Iterator[Server]:
    """Run a gunicorn on loopback in a directory, and end it by the pid of its master."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(2048)
        port = listener.getsockname()[1]
        more = ["--bind", f"fd://{listener.fileno()}", "--graceful-timeout", "1"]
        process = subprocess.Popen(
            [*command, *more, "--log-level", "critical"],
            cwd=directory,
            env=variables,
            pass_fds=[listener.fileno()],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        listener.close()
    try:
        wait_for(port)
        yield Server(f"http://127.0.0.1:{port}", process.pid)
    finally:
        stop(process)


@contextmanager
def running_service(application: str = "config.wsgi", **changes: str) -> Iterator[Server]:
    """Serve the service of this process's environment, and wait until it answers.

    changes: of the environment.
    """
    with gunicorn(application, {**os.environ, **changes}) as server:
        status, _ = fetch(server.url, Request("GET", "/readyz"))
        if status != 200:
            raise RuntimeError(f"the service is not ready: {status}")
        yield server


def wait_for(port: int) -> None:
    """Wait until somebody listens. Raises TimeoutError."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        try:
            with socket.create_connection(("127.0.0.1", port), 1):
                return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError("the server did not start")
