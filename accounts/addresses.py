"""Where a request comes from, whatever stands between its sender and this service."""

from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """Give the IP address of whoever sent the request; empty when the server knows none.

    Each proxy adds the address that it was called from to the end of ``X-Forwarded-For``. With
    TRUSTED_PROXIES of them, the first trusted one has written the hop at that place from the end;
    what stands before it, the sender may have made up.
    """
    caller: str = request.META.get("REMOTE_ADDR", "")
    if not settings.TRUSTED_PROXIES:
        return caller
    hops = request.headers.get("X-Forwarded-For", "").split(",")[-settings.TRUSTED_PROXIES :]
    is_complete = len(hops) == settings.TRUSTED_PROXIES
    return (is_complete and _as_address(hops[0])) or caller


def _as_address(hop: str) -> str:
    """Normalise an IP address; empty for anything else."""
    try:
        return str(ip_address(hop.strip()))
    except ValueError:
        return ""
