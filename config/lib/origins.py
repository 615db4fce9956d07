"""The origin of browser requests."""

from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request

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
