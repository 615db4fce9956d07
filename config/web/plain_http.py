"""What a program hears that writes to ``/api`` over plain http."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from config.web.errors import https_only

READING = frozenset({"GET", "HEAD", "OPTIONS"})


class PlainHttpMiddleware:
    """Refuses writes to ``/api`` that did not come over https, where the site is on https.

    SecurityMiddleware, which comes next, would redirect them. Clients follow that with a GET and
    without the body, or repeat both; either way nobody notices that a secret travels in the open
    with every call. Reading is redirected: that is how browsers arrive.
    OWASP ASVS 5.0, 4.1.2.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer 403, or go on."""
        if settings.SECURE_SSL_REDIRECT and _is_open_write(request):
            return https_only(request)
        return self.get_response(request)


def _is_open_write(request: HttpRequest) -> bool:
    is_write = request.method not in READING and request.path_info.startswith("/api/")
    return is_write and not request.is_secure()
