"""Somebody else's server that takes webhooks: real HTTP on loopback, told how to answer."""

import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Receiver:
    """Remembers each request as (headers, body). status, body, headers: what it answers.

    meanwhile: what it does before it answers.
    """

    def __init__(self) -> None:
        self.requests: list[tuple[dict[str, str], bytes]] = []
        self.status = 200
        self.body = b"ok"
        self.headers: dict[str, str] = {}
        self.meanwhile: Callable[[], Any] = lambda: None
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.address = f"http://127.0.0.1:{self.port}/hooks?of=ours"
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))

    @property
    def ids(self) -> list[str]:
        """The ids of what came, in order."""
        return [headers["webhook-id"] for headers, _ in self.requests]

    def start(self) -> "Receiver":
        """Listen."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Stop listening: connections are refused."""
        self.server.shutdown()
        self.server.server_close()

    def _handler(receiver) -> type[BaseHTTPRequestHandler]:  # noqa: N805 - self is the handler's
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                receiver.requests.append((headers | {":path": self.path}, body))
                receiver.meanwhile()
                with suppress(OSError):  # whoever asked has gone
                    self._answer()

            def _answer(self) -> None:
                self.send_response(receiver.status)
                for name, value in receiver.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(receiver.body)))
                self.end_headers()
                self.wfile.write(receiver.body)

            def log_message(self, *args: Any) -> None:
                pass

        return Handler
