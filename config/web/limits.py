"""How much of a request is read at all."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from config.web.errors import headers_too_large


class HeaderLimitMiddleware:
    """Refuses a request whose address and headers are larger than any browser of ours sends.

    The server in front bounds each line; this bounds their sum. Bodies have
    DATA_UPLOAD_MAX_MEMORY_SIZE.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer 431, or go on."""
        if _size(request) > settings.MAX_HEADER_BYTES:
            return headers_too_large(request)
        return self.get_response(request)


def _size(request: HttpRequest) -> int:
    """Count the characters of address and headers; names are about as long as what is left out."""
    sent = (
        value
        for name, value in request.META.items()
        if name.startswith("HTTP_") or name in {"PATH_INFO", "QUERY_STRING", "CONTENT_TYPE"}
    )
    return sum(map(len, sent))
