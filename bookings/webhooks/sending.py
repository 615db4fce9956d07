"""One request to a receiver. It knows no database, and always comes to an end.

``http.client`` does as little as is needed: it follows no redirect, asks no proxy of the
environment and repeats nothing.
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

from django.conf import settings

from bookings.webhooks.addresses import AddressError, Target, parse_address, resolve

CONNECT_SECONDS = 5
EXCERPT_LENGTH = 500
# What a receiver asks for is believed up to here.
LONGEST_RETRY_AFTER = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. status: None when nothing did. failure: empty for a success.

    excerpt: the beginning of the answer's body, printable. wait: how long the receiver asks to be
    left alone.
    """

    status: int | None
    failure: str
    took: timedelta
    excerpt: str = ""
    wait: timedelta = timedelta(0)

    @property
    def is_success(self) -> bool:
        """Whether the receiver took it."""
        return not self.failure

    @property
    def is_silence(self) -> bool:
        """Whether there was no answer at all: nothing else will get one either."""
        return self.status is None


def post(address: str, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Send a body and say what came back. It never raises.

    It takes settings.WEBHOOK_TIMEOUT at most, and what is left of an attempt to connect; only the
    system's own look-up of a name cannot be cut short.
    """
    started = monotonic()
    try:
        status, excerpt, wait = _exchange(parse_address(address), body, headers)
    except Exception as error:  # noqa: BLE001 - whatever a stranger's server does is a failure of this one delivery
        return Answer(None, _name(error), timedelta(seconds=monotonic() - started))
    took = timedelta(seconds=monotonic() - started)
    return Answer(status, _judge(status), took, excerpt, wait)


def _exchange(
    target: Target, body: bytes, headers: Mapping[str, str]
) -> tuple[int, str, timedelta]:
    connection = SecureConnection(target) if target.scheme == "https" else PlainConnection(target)
    with closing(connection), _ended_in_time(connection):
        connection.request("POST", target.path, body, dict(headers))
        response = connection.getresponse()
        return response.status, _read_excerpt(response), _read_wait(response)


class PlainConnection(HTTPConnection):
    """A connection to one of the addresses that were checked, under the receiver's name."""

    def __init__(self, target: Target) -> None:
        super().__init__(target.host, target.port)
        self._target = target
        self.is_out_of_time = False

    def connect(self) -> None:
        """Connect to the first of the checked addresses that takes it."""
        self.sock = self._dial()
        self.sock.settimeout(settings.WEBHOOK_TIMEOUT.total_seconds())
        if self.is_out_of_time:
            raise TimeoutError

    def end(self) -> None:
        """End whatever is going on, from another thread: it comes back at once."""
        self.is_out_of_time = True
        if self.sock is not None:
            with suppress(OSError):
                # The plain socket's method: the one of TLS would pull the session away from it.
                socket.socket.shutdown(self.sock, socket.SHUT_RDWR)

    def _dial(self) -> socket.socket:
        failure: OSError | None = None
        for number in resolve(self._target):
            if self.is_out_of_time:
                break  # a name may have any number of addresses
            try:
                return socket.create_connection((number, self.port), timeout=_seconds_to_connect())
            except OSError as error:
                failure = error
        raise failure or OSError("The name has no address.")


class SecureConnection(PlainConnection):
    """The same with TLS. The certificate must be for the receiver's name, not for its number."""

    default_port = 443

    def connect(self) -> None:
        """Connect, and agree on keys."""
        super().connect()
        context = ssl.create_default_context()
        secured = context.wrap_socket(
            self.sock, server_hostname=self.host, do_handshake_on_connect=False
        )
        self.sock = secured
        secured.do_handshake()


@contextmanager
def _ended_in_time(connection: PlainConnection) -> Iterator[None]:
    """Bound all of an exchange: a socket's own time-out starts anew with every byte."""
    timer = Timer(settings.WEBHOOK_TIMEOUT.total_seconds(), connection.end)
    timer.start()
    try:
        yield
    except (OSError, HTTPException, ValueError) as error:
        if connection.is_out_of_time:
            raise TimeoutError from error
        raise
    finally:
        timer.cancel()


def _seconds_to_connect() -> float:
    return min(CONNECT_SECONDS, settings.WEBHOOK_TIMEOUT.total_seconds())


def _read_excerpt(response: HTTPResponse) -> str:
    """Read the beginning of the body. Once there is a status, nothing in it can fail."""
    try:
        start = response.read(EXCERPT_LENGTH)
    except (OSError, HTTPException, ValueError):
        return ""
    text = start.decode(errors="replace")
    return "".join(sign if sign.isprintable() else " " for sign in text).strip()


def _read_wait(response: HTTPResponse) -> timedelta:
    seconds = response.headers.get("Retry-After", "")
    if not (seconds.isascii() and seconds.isdigit() and len(seconds) < 9):
        return timedelta(0)
    return min(timedelta(seconds=int(seconds)), LONGEST_RETRY_AFTER)


def _judge(status: int) -> str:
    if 200 <= status < 300:
        return ""
    redirects = ": no seguimos redirecciones" if 300 <= status < 400 else ""
    return f"Respondió {status}{redirects}."


def _name(error: Exception) -> str:
    """Say what failed. Only what is ours is repeated: an error's text may hold the address."""
    if isinstance(error, AddressError):
        return str(error)
    known = (text for kind, text in FAILURES.items() if isinstance(error, kind))
    return next(known, f"Falló: {type(error).__name__}.")


# The first that fits.
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
