"""Redirects of sign-in."""

from urllib.parse import urlencode, urljoin, urlsplit, urlunsplit

from django.conf import settings
from django.http import HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme

from config.lib.origins import own_origin

ERROR_PAGE = "/"
SIGN_IN_PAGE = "/inicio"
MAX_LENGTH = 2_000


def local_path(address: str | None, *, default: str) -> str:
    """Reduce an address to a path of this service, or ``default``."""
    if not address or len(address) > MAX_LENGTH or not address.isprintable():
        return default
    try:
        parts = urlsplit(address)
    except ValueError:
        return default
    if f"{parts.scheme}://{parts.netloc}" == own_origin():
        address = urlunsplit(parts._replace(scheme="", netloc="")) or "/"
    if not address.startswith("/") or not url_has_allowed_host_and_scheme(
        address, allowed_hosts=None
    ):
        return default
    return address


def absolute(path: str) -> str:
    return urljoin(settings.BASE_URL, path)


def error_redirect(code: str, *, page: str = ERROR_PAGE) -> HttpResponseRedirect:
    """Spec: Authentication, 4."""
    return HttpResponseRedirect(f"{page}?{urlencode({'error': code})}")
