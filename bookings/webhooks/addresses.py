"""SSRF protection; each name is resolved once, against DNS rebinding."""

import ipaddress
import socket
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

MAX_LENGTH = 500
DEFAULT_PORTS = {"http": 80, "https": 443}
# The rest of IPv6 holds other spellings of IPv4 addresses, private ones included.
GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
SIX_TO_FOUR = ipaddress.IPv6Network("2002::/16")
# Reserved (RFC 6890), but parts count as global in some versions of Python.
PROTOCOLS = ipaddress.IPv4Network("192.0.0.0/24")


class AddressError(ValueError):
    """The text tells the teacher why her address is refused."""


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
