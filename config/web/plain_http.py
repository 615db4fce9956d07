"""Refuse API writes over plain http."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin

from config.web.errors import https_only

READING = frozenset({"GET", "HEAD", "OPTIONS"})


class PlainHttpMiddleware(MiddlewareMixin):
    """Answer 403 to writes to ``/api`` over http, which a redirect would hide.

    OWASP ASVS 5.0, 4.1.2.
    """

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        is_write = request.method not in READING and request.path_info.startswith("/api/")
        if settings.SECURE_SSL_REDIRECT and is_write and not request.is_secure():
            return https_only(request)
        return None
