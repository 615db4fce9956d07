"""One HTTP request to a receiver, without redirects and proxies, and never to an internal network.

Each name is resolved once, against DNS rebinding.
"""

import ipaddress
import socket
import ssl
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import timedelta
from http.client import HTTPException
from time import monotonic
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from urllib3 import HTTPResponse
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ConnectTimeoutError, HTTPError, NewConnectionError

CONNECT_SECONDS = 5
ADDRESSES_TRIED = 3
LONGEST_REST = timedelta(hours=1)  # that a receiver may ask for
MAX_LENGTH = 500  # of an address
EXCERPT_BYTES = 500
DEFAULT_PORTS = {"http": 80, "https": 443}
# The rest of IPv6 holds other spellings of IPv4 addresses, private ones included.
GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
SIX_TO_FOUR = ipaddress.IPv6Network("2002::/16")
# Reserved (RFC 6890), but parts count as global in some versions of Python.
PROTOCOLS = ipaddress.IPv4Network("192.0.0.0/24")


class AddressError(ValueError):
    """The text tells the teacher why her address is refused."""


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


def send(address: str, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Post the body. Each step of the exchange may take settings.WEBHOOK_TIMEOUT.

    Only headers that trickle in byte by byte take longer.
    """
    began = monotonic()
    status, failure, wait, excerpt = None, "", timedelta(0), ""
    try:
        target = parse_address(address)
        with closing(_connect(target)) as connection:
            path = (target.path or "/") + (f"?{target.query}" if target.query else "")
            headers = {"Host": target.netloc, **headers}
            connection.request("POST", path, body, headers, preload_content=False)
            response = connection.getresponse()
            status, failure = response.status, _status_failure(response.status)
            wait = _read_wait(response.headers.get("Retry-After", ""))
            excerpt = _read_excerpt(response)
    except Exception as error:  # noqa: BLE001 - any error is a failure of this delivery only
        failure = _describe_failure(error)
    return Answer(status, failure, timedelta(seconds=monotonic() - began), excerpt, wait)


def parse_address(address: str) -> SplitResult:
    """Return the parts, with a host name. Raises AddressError."""
    if len(address) > MAX_LENGTH or not address.isascii() or not address.isprintable():
        raise AddressError("La dirección es demasiado larga o tiene signos que no van.")
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:  # a port that is no number, half an IPv6 address
        raise AddressError("Eso no es una dirección web.") from None
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname or port == 0 or " " in address:
        raise AddressError("Tiene que ser una dirección como https://ejemplo.com/avisos.")
    if parts.scheme == "http" and not settings.WEBHOOKS_MAY_STAY_LOCAL:
        raise AddressError("Tiene que empezar con https://: lo que se manda no es para cualquiera.")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise AddressError("Sin usuario, contraseña ni «#»: el secreto ya firma cada aviso.")
    if _is_internal(parts.hostname):
        raise AddressError("La dirección lleva a una red interna.")
    return parts


def resolve(host: str, port: int) -> list[str]:
    """Return public IP addresses. Raises AddressError if there is none, and OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    allowed = [number for *_, where in found if is_public(number := str(where[0]))]
    if not allowed:
        raise AddressError("La dirección lleva a una red interna.")
    return allowed


def is_public(number: str) -> bool:
    """Also True for internal addresses if the settings allow them."""
    if settings.WEBHOOKS_MAY_STAY_LOCAL:
        return True
    address = ipaddress.ip_address(number.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        is_unicast = address in GLOBAL_UNICAST and address not in SIX_TO_FOUR
        return is_unicast and address.is_global
    return address.is_global and not address.is_multicast and address not in PROTOCOLS


def _is_internal(host: str) -> bool:
    """True if that shows without a look-up; ``resolve`` finds the rest."""
    try:
        return not is_public(host)
    except ValueError:  # a name
        return host == "localhost" or host.endswith((".localhost", ".local", ".internal"))


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


def _read_excerpt(response: HTTPResponse) -> str:
    """Return the beginning of the body, as far as it comes in time."""
    end, body = monotonic() + settings.WEBHOOK_TIMEOUT.total_seconds(), b""
    with suppress(OSError, HTTPException, HTTPError):
        while len(body) < EXCERPT_BYTES and monotonic() < end:
            # read() would wait for all of these bytes, however slowly they come.
            piece = response.read1(EXCERPT_BYTES - len(body), decode_content=False)
            if not piece:
                break
            body += piece
    text = body.decode(errors="replace")
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
