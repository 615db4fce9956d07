"""The HTTP half of every stand-in: listening, routes, faults and the record of calls."""

import itertools
import re
import socket
import socketserver
import struct
import threading
import time
import traceback
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Self
from urllib.parse import parse_qsl, unquote

from tests.standins.messages import (
    Fault,
    RecordedRequest,
    RefusedError,
    Reply,
    json_reply,
    page_reply,
)

# The loop looks this often whether it should end; a stop takes at most this long.
STOP_POLL_SECONDS = 0.05
GARBAGE = "<!doctype html><title>Puerta de enlace</title><p>Esto no es lo que pediste.</p>"


@dataclass(frozen=True, slots=True)
class Route:
    """One path a stand-in answers. ``pattern``'s groups become the request's segments."""

    name: str
    method: str
    pattern: re.Pattern[str]
    handler: str


def route(name: str, method: str, pattern: str, handler: str) -> Route:
    return Route(name, method, re.compile(pattern), handler)


class Standin:
    """A provider on loopback, or the ``host`` that is set, with its state in memory.

    One lock guards the state: it is held while a call is handled and by every method tests use,
    never during an ordered delay. After ``stop()``, ``start()`` returns at the same address with
    the same state, as a provider does after an outage.
    """

    routes: ClassVar[tuple[Route, ...]] = ()
    host = "127.0.0.1"

    def __init__(self, port: int = 0) -> None:
        self._port = port
        self._server: _Server | None = None
        self.lock = threading.RLock()
        self._era = threading.Event()
        self._forget()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        self._server = _Server(self, self._port)
        self._port = self._server.server_address[1]
        threading.Thread(
            target=self._server.serve_forever, args=(STOP_POLL_SECONDS,), daemon=True
        ).start()

    def stop(self) -> None:
        """Stop listening and cut what is still open. State stays."""
        if self._server is None:
            return
        self._begin_era()
        self._server.close()
        self._server = None

    @property
    def url(self) -> str:
        """The base address, without a final slash."""
        return f"http://127.0.0.1:{self._port}"

    def reset(self) -> None:
        """Forget state, faults and requests; calls still waiting in a delay are cut."""
        with self.lock:
            self._begin_era()
            self._forget()

    def fault(self, route_name: str, *faults: Fault) -> None:
        """Queue faults; each coming call of the route consumes one. ValueError: no such route."""
        if route_name not in {known.name for known in self.routes}:
            raise ValueError(f"There is no route {route_name!r}.")
        with self.lock:
            self._faults[route_name].extend(faults)

    def break_down(self, *faults: Fault) -> None:
        """Let every call of every route meet one of the faults, in turn, until ``heal()``."""
        with self.lock:
            self._breakdown = itertools.cycle(faults)

    def heal(self) -> None:
        """Drop the faults still queued, and end a breakdown."""
        with self.lock:
            self._faults.clear()
            self._breakdown = None

    @property
    def requests(self) -> list[RecordedRequest]:
        """Every call since the start or the last reset, oldest first."""
        with self.lock:
            return list(self._requests)

    def error_body(self, route_name: str, code: int, reason: str) -> Any:
        """Give this provider's JSON for an error."""
        raise NotImplementedError

    def _forget(self) -> None:
        """Set the state back to the start. Children extend it."""
        self._faults: defaultdict[str, deque[Fault]] = defaultdict(deque)
        self._breakdown: Iterator[Fault] | None = None
        self._requests: list[RecordedRequest] = []

    def _begin_era(self) -> None:
        self._era.set()
        self._era = threading.Event()

    def answer(self, method: str, target: str, headers: Message, body: bytes) -> "_Outcome":
        request, handler = self._understand(method, target, headers, body)
        with self.lock:
            era = self._era
            self._requests.append(request)
            queue = self._faults[request.route]
            fault = queue.popleft() if queue else next(self._breakdown or iter(()), None)
        if fault is None:
            return _Outcome(self._handle(request, handler, era))
        if fault.seconds:
            era.wait(fault.seconds)
        reply = self._handle(request, handler, era) if fault.done else None
        return self._spoil(fault, request, reply)

    def _understand(
        self, method: str, target: str, headers: Message, body: bytes
    ) -> tuple[RecordedRequest, Callable[[RecordedRequest], Reply] | None]:
        path, _, query = target.partition("?")
        pairs = parse_qsl(query, keep_blank_values=True)
        for known in self.routes:
            match = known.method == method and known.pattern.fullmatch(path)
            if match:
                segments = [unquote(part) for part in match.groups()]
                request = RecordedRequest(known.name, method, path, segments, pairs, headers, body)
                return request, getattr(self, known.handler)
        return RecordedRequest("", method, path, (), pairs, headers, body), None

    def _handle(
        self,
        request: RecordedRequest,
        handler: Callable[[RecordedRequest], Reply] | None,
        era: threading.Event,
    ) -> Reply | None:
        """Let the call take effect; None when a reset has overtaken it."""
        with self.lock:
            if era.is_set():
                return None
            if handler is None:
                return json_reply(self.error_body("", 404, ""), 404)
            try:
                return handler(request)
            except RefusedError as refusal:
                return refusal.reply
            except Exception:  # noqa: BLE001 - a bug of the stand-in has to reach the test's eyes
                return Reply(500, traceback.format_exc().encode(), "text/plain; charset=utf-8")

    def _spoil(self, fault: Fault, request: RecordedRequest, reply: Reply | None) -> "_Outcome":
        match fault.kind:
            case "status":
                return _Outcome(self._fault_reply(fault, request.route))
            case "garbage":
                return _Outcome(page_reply(GARBAGE))
            case "empty":
                return _Outcome(json_reply({}))
            case "half":
                return _Outcome(reply, cut=True)
            case "reset":
                return _Outcome(None, reset=True)
            case "delay":
                return _Outcome(reply)
            case "drop" | "lost":
                return _Outcome(None)

    def _fault_reply(self, fault: Fault, route_name: str) -> Reply:
        body = fault.body
        if body is None:
            body = self.error_body(route_name, fault.code, fault.reason)
        if isinstance(body, str):
            return Reply(fault.code, body.encode(), "text/html; charset=utf-8", fault.headers)
        return json_reply(body, fault.code, fault.headers)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What the connection gets: a reply, half of one (``cut``), an end or a ``reset``."""

    reply: Reply | None
    cut: bool = False
    reset: bool = False


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, standin: Standin, port: int) -> None:
        self.standin = standin
        self.connections: set[Any] = set()
        super().__init__((standin.host, port), _Handler)

    def server_bind(self) -> None:
        # HTTPServer would ask the resolver for this machine's name here.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        self.connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        self.connections.discard(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: the client has gone, which is its right."""

    def close(self) -> None:
        self.shutdown()
        self.server_close()
        for connection in list(self.connections):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # its own thread was faster
        # Counted, not timed: a test may have stopped the clock.
        for _ in range(2000):
            if not self.connections:
                return
            time.sleep(0.001)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        outcome = self.server.standin.answer(self.command, self.path, self.headers, body)
        if outcome.reset:
            self._reset()
        elif outcome.reply is None:
            self.close_connection = True
        elif outcome.cut:
            self.close_connection = True
            data = outcome.reply.encode()
            self.wfile.write(data[: len(data) - len(outcome.reply.body) // 2 - 1])
        else:
            self.wfile.write(outcome.reply.encode(closing=self.close_connection))

    # The names are the base class's.
    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _serve  # noqa: N815

    def _reset(self) -> None:
        self.close_connection = True
        # Lingering for zero seconds makes close() send RST; closing here keeps the server from
        # sending FIN first.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.rfile.close()
        self.connection.close()

    def log_message(self, *_: Any) -> None:
        """Say nothing: the record of requests tells more."""
