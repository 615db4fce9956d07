"""Where a request comes from: the client's address behind proxies, and the browser's origin."""

import re
from ipaddress import IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request

# The smallest IPv6 network of one customer. RFC 6177.
COUNTED_BITS = 64
# Some proxies write the port as well.
WITH_PORT = re.compile(r"\[(?P<ipv6>[^\]]*)\](:\d+)?|(?P<ipv4>[\d.]+):\d+")


def client_address(request: HttpRequest | Request) -> str:
    """Return the IPv4 address, or the IPv6 /64, that limits count by; empty if unknown.

    It is number TRUSTED_PROXIES from the end of ``X-Forwarded-For``; earlier ones may be forged.
    """
    caller: str = _as_address(request.META.get("REMOTE_ADDR", ""))
    if not settings.TRUSTED_PROXIES:
        return caller
    hops = request.headers.get("X-Forwarded-For", "").split(",")[-settings.TRUSTED_PROXIES :]
    is_complete = len(hops) == settings.TRUSTED_PROXIES
    return (is_complete and _as_address(hops[0])) or caller


def _as_address(hop: str) -> str:
    hop = hop.strip()
    if found := WITH_PORT.fullmatch(hop):
        hop = found["ipv6"] or found["ipv4"]
    try:
        address = ip_address(hop)
    except ValueError:
        return ""
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(IPv6Network((int(address), COUNTED_BITS), strict=False))


DEFAULT_PORTS = {"http": 80, "https": 443}


def is_from_elsewhere(request: HttpRequest | Request) -> bool:
    """True if another site made a browser send it; pages cannot forge these headers."""
    if request.headers.get("Sec-Fetch-Site") in {"cross-site", "same-site"}:
        return True
    origin = request.headers.get("Origin")
    return origin is not None and origin != own_origin()


def own_origin() -> str:
    """Return BASE_URL as in ``Origin``: lower case, no default port."""
    parts = urlsplit(settings.BASE_URL.lower())
    port = "" if parts.port in {None, DEFAULT_PORTS.get(parts.scheme)} else f":{parts.port}"
    return f"{parts.scheme}://{parts.hostname}{port}"
