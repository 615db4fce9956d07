"""Refuse API writes over plain http."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from config.web.errors import https_only

READING = frozenset({"GET", "HEAD", "OPTIONS"})


class PlainHttpMiddleware:
    """Answer 403 to writes to ``/api`` over http, which a redirect would hide.

    OWASP ASVS 5.0, 4.1.2.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        is_write = request.method not in READING and request.path_info.startswith("/api/")
        if settings.SECURE_SSL_REDIRECT and is_write and not request.is_secure():
            return https_only(request)
        return self.get_response(request)
