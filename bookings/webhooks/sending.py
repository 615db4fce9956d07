"""One HTTP request, limited in time, without redirects and proxies.

urllib3 can neither limit a whole exchange nor interrupt its TLS handshake.
"""

import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from http.client import HTTPConnection, HTTPException, HTTPResponse
from threading import Timer
from time import monotonic
from urllib.parse import SplitResult

from django.conf import settings

from bookings.webhooks.addresses import DEFAULT_PORTS, AddressError, parse_address, resolve

CONNECT_SECONDS = 5
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


def post(address: str, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Never raises.

    Takes at most settings.WEBHOOK_TIMEOUT, one attempt to connect and the DNS look-up.
    """
    started = monotonic()
    try:
        target = parse_address(address)
        connection = PinnedConnection(target)
        with closing(connection), _time_limit(connection):
            path = (target.path or "/") + (f"?{target.query}" if target.query else "")
            connection.request("POST", path, body, dict(headers))
            response = connection.getresponse()
            excerpt, wait = _read_excerpt(response), _read_wait(response)
    except Exception as error:  # noqa: BLE001 - any error is a failure of this delivery only
        return Answer(None, _describe_failure(error), timedelta(seconds=monotonic() - started))
    took = timedelta(seconds=monotonic() - started)
    return Answer(response.status, _status_failure(response.status), took, excerpt, wait)


class PinnedConnection(HTTPConnection):
    """Connects to a checked IP address; the certificate must match the name."""

    def __init__(self, target: SplitResult) -> None:
        port = DEFAULT_PORTS[target.scheme]
        super().__init__(str(target.hostname), target.port or port)
        self.default_port = port  # left out of the Host header
        self._scheme = target.scheme
        self.is_out_of_time = False

    def connect(self) -> None:
        self.sock = self._dial()
        self.sock.settimeout(settings.WEBHOOK_TIMEOUT.total_seconds())
        if self.is_out_of_time:
            raise TimeoutError
        if self._scheme == "https":
            context = ssl.create_default_context()
            self.sock = secured = context.wrap_socket(
                self.sock, server_hostname=self.host, do_handshake_on_connect=False
            )
            secured.do_handshake()  # only now, so that ``abort`` ends it

    def abort(self) -> None:
        self.is_out_of_time = True
        if self.sock is not None:
            with suppress(OSError):
                # Not SSLSocket.shutdown: it drops the TLS session that the other thread uses.
                socket.socket.shutdown(self.sock, socket.SHUT_RDWR)

    def _dial(self) -> socket.socket:
        failure: OSError | None = None
        seconds = min(CONNECT_SECONDS, settings.WEBHOOK_TIMEOUT.total_seconds())
        for number in resolve(self.host, self.port):
            if self.is_out_of_time:
                break
            try:
                return socket.create_connection((number, self.port), timeout=seconds)
            except OSError as error:
                failure = error
        raise failure or OSError("The name has no address.")


@contextmanager
def _time_limit(connection: PinnedConnection) -> Iterator[None]:
    """Bound the whole exchange: a socket's time-out starts anew with every byte."""
    timer = Timer(settings.WEBHOOK_TIMEOUT.total_seconds(), connection.abort)
    timer.start()
    try:
        yield
    except (OSError, HTTPException, ValueError) as error:
        if connection.is_out_of_time:
            raise TimeoutError from error
        raise
    finally:
        timer.cancel()


def _read_excerpt(response: HTTPResponse) -> str:
    try:
        start = response.read(500)
    except (OSError, HTTPException, ValueError):
        return ""
    text = start.decode(errors="replace")
    return "".join(sign if sign.isprintable() else " " for sign in text).strip()


def _read_wait(response: HTTPResponse) -> timedelta:
    seconds = response.headers.get("Retry-After", "")
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
    if isinstance(error, AddressError):
        return str(error)
    known = (text for kind, text in FAILURES.items() if isinstance(error, kind))
    return next(known, f"Falló: {type(error).__name__}.")


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
