"""The demo's child processes: started, watched, and stopped together."""

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

from bookings.management.demo_ports import HOST, Ports

STOP_SECONDS = 10
START_SECONDS = 60


class Processes:
    """The demo's child processes; they end together.

    The first signal that ends this process raises KeyboardInterrupt, but never while a child is
    being started: its id would be lost. Later ones change nothing. A process that ends the children
    if this one is killed, the leash, keeps the lock of the demo's folder until they have ended.
    """

    def __init__(self, environment: dict[str, str], lock: int) -> None:
        """Take what the children's environment is, and the file descriptor of the lock."""
        self.environment = environment
        self.children: list[subprocess.Popen[bytes]] = []
        self._is_ending = self._is_starting = False
        # A closed terminal hangs up; the children have a session of their own and would stay.
        for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            signal.signal(ending, self._interrupt)
        self._leash = self._start_leash(lock)

    def start_standins(self, configuration: dict[str, Any]) -> None:
        """Start the providers' stand-ins and wait until they listen."""
        process = self._start("-m", "tests.standins", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        stdin, stdout = cast(IO[bytes], process.stdin), cast(IO[bytes], process.stdout)
        # The pipe stays open: the stand-ins stop when it closes, even if this process is killed.
        stdin.write(json.dumps(configuration).encode() + b"\n")
        stdin.flush()
        if stdout.readline().strip() != b"ready":
            raise CommandError("The providers' stand-ins did not start.")

    def start_web(self, listener: socket, ports: Ports) -> None:
        """Start the web server on a socket that listens, and wait until it answers."""
        self._start(
            *("-m", "gunicorn", "--config", "config/gunicorn.py"),
            *("--bind", f"fd://{listener.fileno()}"),
            *("--workers", "1", "--threads", "8", "--log-level", "warning"),
            pass_fds=[listener.fileno()],
        )
        # From now on only the server holds the socket: if it ends, connections end as well.
        listener.close()
        give_up_at = time.monotonic() + START_SECONDS
        while not _answers(ports.web):
            self._require_alive()
            if time.monotonic() > give_up_at:
                raise CommandError("The web server did not start.")
            time.sleep(0.05)

    def start_worker(self) -> None:
        """Start what does the work behind the requests."""
        self._start("manage.py", "worker", "--skip-checks")

    def manage(self, *arguments: str, **environment: str) -> None:
        """Run a management command in the demo's environment. environment: what differs from it."""
        process = self._start("manage.py", *arguments, env=self.environment | environment)
        if process.wait():
            raise CommandError(f"manage.py {arguments[0]} failed.")
        self.children.remove(process)

    def wait(self) -> None:
        """Stay until one of the processes ends. Raises CommandError then."""
        while True:
            self._require_alive()
            time.sleep(0.5)

    def stop(self) -> None:
        """Stop what was started, the last first."""
        self._is_ending = True
        for process in reversed(self.children):
            process.terminate()
        give_up_at = time.monotonic() + STOP_SECONDS
        for process in self.children:
            try:
                process.wait(timeout=max(0, give_up_at - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
        # It ends with its input. The folder is free after that.
        cast(IO[bytes], self._leash.stdin).close()
        self._leash.wait()

    def _start(self, *arguments: str, **options: Any) -> subprocess.Popen[bytes]:
        with self._uninterrupted():
            process = subprocess.Popen(  # noqa: S603 - our own words
                [sys.executable, *arguments],
                cwd=settings.BASE_DIR,
                # Ctrl-C reaches this process only, which then stops the others in order.
                start_new_session=True,
                **{"env": self.environment, **options},
            )
            self.children.append(process)
            cast(IO[bytes], self._leash.stdin).write(b"%d\n" % process.pid)
        return process

    def _start_leash(self, lock: int) -> subprocess.Popen[bytes]:
        with self._uninterrupted():
            return subprocess.Popen(
                [sys.executable, "-m", "bookings.management.leash"],
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
    """Ask for the page that a visitor opens first; True once the server has it."""
    connection = http.client.HTTPConnection(HOST, port, timeout=START_SECONDS)
    try:
        connection.request("GET", "/inicio", headers={"Host": f"localhost:{port}"})
        return connection.getresponse().status == HTTPStatus.OK
    except OSError:
        return False
    finally:
        connection.close()
