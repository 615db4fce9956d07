"""Processes of the service that a drill starts, and that may be killed on the way.

They are forked from the drill, which has the whole service loaded and does nothing with it: so one
costs milliseconds, has connections of its own, and nothing that another one changed.
"""

import os
import pickle
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from functools import cache as cache_result
from importlib import import_module
from typing import Any

import time_machine
from django.conf import settings
from django.core.cache import cache
from django.core.handlers.wsgi import WSGIHandler
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application
from django.db import connections
from django.urls import resolve
from django.utils import timezone
from django.utils.module_loading import import_string

# Far longer than anything takes: what hangs is ended by its own alarm.
SECONDS = 600
POLL_SECONDS = 0.02
ENDINGS = {signal.SIGTERM, signal.SIGINT}


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a process ended.

    said: what it told on the way, each word after what it stands for had been answered.
    was_killed: by SIGKILL. failure: the traceback of what it did not expect.
    """

    said: list[Any]
    was_killed: bool
    failure: str = ""


Say = Callable[[Any], None]
Prepare = Callable[[], None]


class ServiceProcess:
    """A running process of the service."""

    def __init__(
        self, work: Callable[[Say], None], *prepare: Prepare, ahead: timedelta = timedelta()
    ) -> None:
        """Start it. prepare: what is changed in it first. ahead: how far its clock is moved."""
        get_application()
        connections.close_all()
        reading, writing = os.pipe()
        # What is still in a buffer would be written by the child as well.
        sys.stdout.flush()
        sys.stderr.flush()
        # Asked to end before it can hear that, it hears it as soon as it can.
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDINGS)
        self.pid = os.fork()
        if self.pid == 0:
            os.close(reading)
            _live(work, prepare, ahead, writing)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDINGS)
        os.close(writing)
        self._reading = reading

    def stop(self) -> Outcome:
        """Ask it to end what it is doing, and wait until it has."""
        os.kill(self.pid, signal.SIGTERM)
        return self.wait()

    def wait(self) -> Outcome:
        """Wait for the end, and tell how it went."""
        said: list[Any] = []
        failure = ""
        with os.fdopen(self._reading, "rb") as stream:
            while True:
                try:
                    kind, word = pickle.load(stream)  # noqa: S301 - our own process's words
                except (EOFError, pickle.UnpicklingError):
                    break
                if kind == "failure":
                    failure = word
                else:
                    said.append(word)
        _, status = os.waitpid(self.pid, 0)
        ended_by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        if ended_by and ended_by != signal.SIGKILL:
            failure = f"A process was ended by signal {ended_by}."
        return Outcome(said, ended_by == signal.SIGKILL, failure)


@cache_result
def get_application() -> WSGIHandler:
    """Load the service, and what its first request would load: its processes begin with that."""
    for path in (settings.CALENDAR_BACKEND, settings.EMAIL_BACKEND):
        import_string(path)
    import_module("bookings.payments.mercadopago.gateway")
    resolve("/api/booking")
    return get_wsgi_application()


def serve(listener: socket.socket) -> Callable[[Say], None]:
    """Give the work of a web process: answer what comes in, until it is asked to stop."""

    def work(say: Say) -> None:
        server = ThreadedWSGIServer(listener.getsockname(), _Handler, bind_and_activate=False)
        server.socket.close()
        server.socket = listener
        server.server_name, server.server_port = listener.getsockname()
        # A thread inherits this, and errands are to be finished, as gunicorn has them finished.
        server.daemon_threads = False
        server.setup_environ()
        server.set_app(get_application())
        server.serve_forever(POLL_SECONDS)

    return work


class _Handler(WSGIRequestHandler):
    """Says nothing: the drill counts the answers itself."""

    def log_message(self, *_: Any) -> None:
        """Be silent."""


def run(work: Callable[[Say], None], *prepare: Prepare, ahead: timedelta = timedelta()) -> Outcome:
    """Run a process of the service to its end."""
    return ServiceProcess(work, *prepare, ahead=ahead).wait()


def require(outcome: Outcome) -> list[Any]:
    """Give what a process said that had to come to a good end. Raises RuntimeError."""
    if outcome.was_killed or outcome.failure:
        raise RuntimeError(outcome.failure or "A process was killed that should have lived.")
    return outcome.said


def _live(
    work: Callable[[Say], None], prepare: tuple[Prepare, ...], ahead: timedelta, writing: int
) -> None:
    """Be the process. It never returns, so nothing of the drill's own is undone in it."""
    code = 0
    try:
        # Nobody waits for ever, and whoever started the drill may interrupt it.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit())
        signal.alarm(SECONDS)
        with os.fdopen(writing, "wb", buffering=0) as stream, ExitStack() as stack:
            try:
                signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDINGS)
                cache.clear()
                for change in prepare:
                    change()
                if ahead:
                    stack.enter_context(time_machine.travel(timezone.now() + ahead, tick=True))
                work(lambda word: pickle.dump(("said", word), stream))
                _finish_errands()
            except SystemExit:
                _finish_errands()
            except BaseException:  # noqa: BLE001 - told to the drill
                code = 1
                pickle.dump(("failure", traceback.format_exc()), stream)
    finally:
        os._exit(code)


def _finish_errands() -> None:
    """Wait for the threads that a process waits for when it ends."""
    while True:
        threads = [
            one
            for one in threading.enumerate()
            if one is not threading.main_thread() and not one.daemon
        ]
        if not threads:
            return
        for thread in threads:
            thread.join()
