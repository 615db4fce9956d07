"""Where a person is sent after signing in or out, or when it fails."""

from urllib.parse import urlencode, urljoin, urlsplit, urlunsplit

from django.conf import settings
from django.http import HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme

from config.lib.origins import own_origin

ERROR_PAGE = "/"
SIGN_IN_PAGE = "/inicio"
MAX_LENGTH = 2_000


def local_path(address: str | None, *, default: str) -> str:
    """Reduce an address from outside to a path of our own; ``default`` when it is anything else.

    NextAuth's client sends the page's whole address, so our own origin is taken off first.
    """
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
    """Give a path of ours as an address; what JSON callers are told to open."""
    return urljoin(settings.BASE_URL, path)


def error_redirect(code: str, *, page: str = ERROR_PAGE) -> HttpResponseRedirect:
    """Send the person to a page that says what went wrong. Spec: Authentication, 4."""
    return HttpResponseRedirect(f"{page}?{urlencode({'error': code})}")
