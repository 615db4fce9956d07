"""Which addresses webhooks may be sent to: those of other people's servers, and no others.

Whoever may enter an address could otherwise make this server ask its own network: databases,
metadata of the cloud, itself. A name is looked up once, and what is connected to is the address
that was checked: a name that answers differently the second time gains nothing.
"""

import ipaddress
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings

MAX_LENGTH = 500
DEFAULT_PORTS = {"http": 80, "https": 443}
# Where the world's IPv6 servers are. The rest holds other spellings of IPv4 addresses, ours too.
GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
SIX_TO_FOUR = ipaddress.IPv6Network("2002::/16")
# Kept for protocols (RFC 6890); Python takes parts of it for public, which ones varies by version.
PROTOCOLS = ipaddress.IPv4Network("192.0.0.0/24")


class AddressError(ValueError):
    """An address that nothing is sent to; the text says why, for the teacher."""


@dataclass(frozen=True, slots=True)
class Target:
    """An address taken apart. path: with its query."""

    scheme: str
    host: str
    port: int
    path: str


def parse_address(address: str) -> Target:
    """Take an address apart. Raises AddressError for one that webhooks are never sent to."""
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
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    target = Target(parts.scheme, parts.hostname, port or DEFAULT_PORTS[parts.scheme], path)
    _refuse_own_network(target.host)
    return target


def resolve(target: Target) -> list[str]:
    """Look the name up and give the IP addresses that may be connected to.

    Raises AddressError when all of them are of our own network, OSError when there is none.
    """
    found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    allowed = [number for number in (str(where[0]) for *_, where in found) if is_foreign(number)]
    if not allowed:
        raise AddressError("La dirección lleva a una red interna.")
    return allowed


def is_foreign(number: str) -> bool:
    """Whether an IP address is a public one, on the internet."""
    if settings.WEBHOOKS_MAY_STAY_LOCAL:
        return True
    address = ipaddress.ip_address(number.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        is_spoken = address in GLOBAL_UNICAST and address not in SIX_TO_FOUR
        return is_spoken and address.is_global
    return address.is_global and not address.is_multicast and address not in PROTOCOLS


def _refuse_own_network(host: str) -> None:
    """Refuse at once what shows without looking it up; the rest shows when it is sent to."""
    try:
        is_ours = not is_foreign(host)
    except ValueError:  # a name
        is_ours = host == "localhost" or host.endswith((".localhost", ".local", ".internal"))
        is_ours = is_ours and not settings.WEBHOOKS_MAY_STAY_LOCAL
    if is_ours:
        raise AddressError("La dirección lleva a una red interna.")
