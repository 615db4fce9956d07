"""Limit the size of a request's headers."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from config.web.errors import headers_too_large


class HeaderLimitMiddleware:
    """Answer 431 if address and headers are too long; the server bounds each line only."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        size = sum(
            len(value)
            for name, value in request.META.items()
            if name.startswith("HTTP_") or name in {"PATH_INFO", "QUERY_STRING", "CONTENT_TYPE"}
        )
        if size > settings.MAX_HEADER_BYTES:
            return headers_too_large(request)
        return self.get_response(request)
