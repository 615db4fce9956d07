"""Which site a request was sent from, as far as browsers tell."""

from functools import lru_cache
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest

DEFAULT_PORTS = {"http": 80, "https": 443}


def is_from_elsewhere(request: HttpRequest) -> bool:
    """Whether another site made a browser send this request.

    Browsers set both headers themselves and pages cannot change them; programs send neither and
    are let through, because no browser adds a victim's cookie to what they send.
    """
    if request.headers.get("Sec-Fetch-Site") in {"cross-site", "same-site"}:
        return True
    origin = request.headers.get("Origin")
    return origin is not None and origin != own_origin()


def own_origin() -> str:
    """Give BASE_URL as browsers write it in ``Origin``: lower case, no default port."""
    return _as_origin(settings.BASE_URL)


@lru_cache(maxsize=4)
def _as_origin(address: str) -> str:
    parts = urlsplit(address.lower())
    port = "" if parts.port in {None, DEFAULT_PORTS.get(parts.scheme)} else f":{parts.port}"
    return f"{parts.scheme}://{parts.hostname}{port}"
