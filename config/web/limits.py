"""Limit the size of a request's headers."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin

from config.web.errors import headers_too_large


class HeaderLimitMiddleware(MiddlewareMixin):
    """Answer 431 if address and headers are too long; the server limits each line only."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        size = sum(
            len(value)
            for name, value in request.META.items()
            if name.startswith("HTTP_") or name in {"PATH_INFO", "QUERY_STRING", "CONTENT_TYPE"}
        )
        return headers_too_large(request) if size > settings.MAX_HEADER_BYTES else None
