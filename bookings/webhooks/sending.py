"""One HTTP request to a receiver, limited in time, without redirects and proxies."""

import socket
import ssl
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from http.client import HTTPException
from threading import Thread
from time import monotonic
from urllib.parse import SplitResult

from django.conf import settings
from urllib3 import BaseHTTPResponse
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ConnectTimeoutError, HTTPError, NewConnectionError

from bookings.webhooks.addresses import DEFAULT_PORTS, AddressError, parse_address, resolve

CONNECT_SECONDS = 5
ADDRESSES_TRIED = 3
LONGEST_REST = timedelta(hours=1)  # that a receiver may ask for


@dataclass(frozen=True, slots=True)
class Answer:
    """status: None without a response. failure: empty for a success."""

    status: int | None
    failure: str
    took: timedelta
    excerpt: str = ""
    wait: timedelta = timedelta(0)

    @property
    def is_success(self) -> bool:
        return not self.failure


class Sending(Thread):
    """A request under way. ``wait`` bounds all of it, which a socket's time-out does not."""

    def __init__(self, address: str, body: bytes, headers: Mapping[str, str]) -> None:
        super().__init__(daemon=True)  # a receiver that hangs must not keep the process
        self._address, self._body, self._headers = address, body, headers
        self._connection: HTTPConnection | None = None
        self._started_at = monotonic()
        self._answer = Answer(None, FAILURES[TimeoutError], settings.WEBHOOK_TIMEOUT)

    def run(self) -> None:
        try:
            self._exchange()
        except Exception as error:  # noqa: BLE001 - any error is a failure of this delivery only
            self._answer = Answer(None, _describe_failure(error), self._took())

    def wait(self) -> Answer:
        """Return the answer at the latest settings.WEBHOOK_TIMEOUT after the request began."""
        rest = settings.WEBHOOK_TIMEOUT - self._took()
        self.join(max(rest.total_seconds(), 0))
        answer = self._answer
        if self.is_alive() and self._connection and self._connection.sock:
            with suppress(OSError):
                # Not SSLSocket.shutdown: it drops the TLS session that the thread uses.
                socket.socket.shutdown(self._connection.sock, socket.SHUT_RDWR)
        return answer

    def _exchange(self) -> None:
        target = parse_address(self._address)
        self._connection = connection = _connect(target)
        with closing(connection):
            path = (target.path or "/") + (f"?{target.query}" if target.query else "")
            headers = {"Host": target.netloc, **self._headers}
            connection.request("POST", path, self._body, headers, preload_content=False)
            response = connection.getresponse()
            failure = _status_failure(response.status)
            wait = _read_wait(response.headers.get("Retry-After", ""))
            self._answer = Answer(response.status, failure, self._took(), wait=wait)
            with suppress(OSError, HTTPException, HTTPError):
                self._answer = replace(self._answer, excerpt=_read_excerpt(response))

    def _took(self) -> timedelta:
        return timedelta(seconds=monotonic() - self._started_at)


def _connect(target: SplitResult) -> HTTPConnection:
    """Connect to a checked IP address; the certificate must match the name."""
    host, port = str(target.hostname), target.port or DEFAULT_PORTS[target.scheme]
    seconds = settings.WEBHOOK_TIMEOUT.total_seconds()
    failure: HTTPError | None = None
    for number in resolve(host, port)[:ADDRESSES_TRIED]:
        connection = HTTPConnection(number, port)
        if target.scheme == "https":
            context = ssl.create_default_context()
            connection = HTTPSConnection(number, port, server_hostname=host, ssl_context=context)
        connection.timeout = min(CONNECT_SECONDS, seconds)
        try:
            connection.connect()
        except (NewConnectionError, ConnectTimeoutError) as error:
            failure = error
        else:
            connection.timeout = seconds
            return connection
    raise failure or OSError("The name has no address.")


def _read_excerpt(response: BaseHTTPResponse) -> str:
    text = response.read(500, decode_content=False).decode(errors="replace")
    return "".join(sign if sign.isprintable() else " " for sign in text).strip()


def _read_wait(seconds: str) -> timedelta:
    if not (seconds.isascii() and seconds.isdigit() and len(seconds) < 9):
        return timedelta(0)
    return min(timedelta(seconds=int(seconds)), LONGEST_REST)


def _status_failure(status: int) -> str:
    if 200 <= status < 300:
        return ""
    redirects = ": no seguimos redirecciones" if 300 <= status < 400 else ""
    return f"Respondió {status}{redirects}."


def _describe_failure(error: Exception) -> str:
    """Errors' own texts may hold the address."""
    cause = error.__cause__ or error  # below urllib3's own
    if isinstance(cause, AddressError):
        return str(cause)
    known = (text for kind, text in FAILURES.items() if isinstance(cause, kind))
    return next(known, f"Falló: {type(cause).__name__}.")


# The first match counts.
FAILURES: dict[type[Exception], str] = {
    TimeoutError: "No contestó a tiempo.",
    socket.gaierror: "El nombre del servidor no existe.",
    ConnectionRefusedError: "No acepta la conexión.",
    ssl.SSLCertVerificationError: "Su certificado no es válido.",
    ssl.SSLError: "No se pudo acordar una conexión segura.",
    ConnectionError: "Cortó la conexión sin contestar.",
    OSError: "No se pudo llegar al servidor.",
    HTTPException: "Contestó algo que no es HTTP.",
}
