"""The demo's child processes."""

import http.client
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from socket import socket
from types import FrameType
from typing import IO, Any, cast

from django.conf import settings
from django.core.management.base import CommandError

from tests.demo.ports import HOST, Ports

STOP_SECONDS = 10
START_SECONDS = 60


class Processes:
    """The demo's children. The leash ends them if this process is killed.

    The first signal raises KeyboardInterrupt, but not while a child starts: its id would be lost.
    lock: a file descriptor that the leash keeps until all have ended.
    """

    def __init__(self, environment: dict[str, str], lock: int) -> None:
        self.environment = environment
        self.children: list[subprocess.Popen[bytes]] = []
        self._is_ending = self._is_starting = False
        # SIGHUP too: the children's own sessions would outlive a closed terminal.
        for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            signal.signal(ending, self._interrupt)
        self._leash = self._start_leash(lock)

    def start_standins(self, configuration: dict[str, Any]) -> None:
        process = self._start("-m", "tests.standins", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        stdin, stdout = cast(IO[bytes], process.stdin), cast(IO[bytes], process.stdout)
        # The stand-ins stop when this pipe closes.
        stdin.write(json.dumps(configuration).encode() + b"\n")
        stdin.flush()
        if stdout.readline().strip() != b"ready":
            raise CommandError("The providers' stand-ins did not start.")

    def start_web(self, listener: socket, ports: Ports) -> None:
        self._start(
            *("-m", "gunicorn", "--config", "config/gunicorn.py"),
            *("--bind", f"fd://{listener.fileno()}"),
            *("--workers", "1", "--threads", "8", "--log-level", "warning"),
            pass_fds=[listener.fileno()],
        )
        listener.close()  # if the server ends, connections are refused
        give_up_at = time.monotonic() + START_SECONDS
        while not _answers(ports.web):
            self._require_alive()
            if time.monotonic() > give_up_at:
                raise CommandError("The web server did not start.")
            time.sleep(0.05)

    def start_worker(self) -> None:
        self._start("manage.py", "worker", "--skip-checks")

    def seed(self, *arguments: str, **environment: str) -> None:
        """Fill the database; ``environment`` overrides the demo's."""
        command = ("manage.py", "seed_demo", "--skip-checks", *arguments)
        process = self._start(*command, env=self.environment | environment)
        if process.wait():
            raise CommandError("The demo's database could not be filled.")
        self.children.remove(process)

    def wait(self) -> None:
        """Raise CommandError as soon as a child ends."""
        while True:
            self._require_alive()
            time.sleep(0.5)

    def stop(self) -> None:
        self._is_ending = True
        for process in reversed(self.children):
            process.terminate()
        give_up_at = time.monotonic() + STOP_SECONDS
        for process in self.children:
            try:
                process.wait(timeout=max(0, give_up_at - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
        # The leash ends with its input, and frees the folder.
        cast(IO[bytes], self._leash.stdin).close()
        self._leash.wait()

    def _start(self, *arguments: str, **options: Any) -> subprocess.Popen[bytes]:
        with self._uninterrupted():
            process = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=settings.BASE_DIR,
                start_new_session=True,  # Ctrl-C reaches only this process, which stops them
                **{"env": self.environment, **options},
            )
            self.children.append(process)
            cast(IO[bytes], self._leash.stdin).write(b"%d\n" % process.pid)
        return process

    def _start_leash(self, lock: int) -> subprocess.Popen[bytes]:
        with self._uninterrupted():
            return subprocess.Popen(
                [sys.executable, "-m", "tests.demo.leash"],
                cwd=settings.BASE_DIR,
                stdin=subprocess.PIPE,
                start_new_session=True,
                bufsize=0,
                pass_fds=[lock],
            )

    @contextmanager
    def _uninterrupted(self) -> Iterator[None]:
        self._is_starting = True
        try:
            yield
        finally:
            self._is_starting = False
        if self._is_ending:
            raise KeyboardInterrupt

    def _interrupt(self, signum: int, frame: FrameType | None) -> None:
        is_first, self._is_ending = not self._is_ending, True
        if is_first and not self._is_starting:
            raise KeyboardInterrupt

    def _require_alive(self) -> None:
        for process in self.children:
            if process.poll() is not None:
                raise CommandError(f"A part of the demo ended by itself: {process.args!r}")


def _answers(port: int) -> bool:
    connection = http.client.HTTPConnection(HOST, port, timeout=START_SECONDS)
    try:
        connection.request("GET", "/inicio", headers={"Host": f"localhost:{port}"})
        return connection.getresponse().status == HTTPStatus.OK
    except OSError:
        return False
    finally:
        connection.close()
