"""Content policy and security headers of every response."""

from collections.abc import Callable
from http import HTTPStatus

from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from whitenoise.middleware import WhiteNoiseFileResponse

POLICY = "Content-Security-Policy"
# Django's own pages for these, in development, have styles inside them.
DEBUG_PAGES = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.INTERNAL_SERVER_ERROR})


class HeadersMiddleware:
    """Add CSP and security headers to every response but static files; headers of a view stay."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        directives = settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]
        self._page_policy = build_policy(config=directives) or ""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if not isinstance(response, WhiteNoiseFileResponse):
            self._complete(response)
        return response

    def _complete(self, response: HttpResponse) -> None:
        for name, value in settings.SECURITY_HEADERS.items():
            response.headers.setdefault(name, value)
        if not response.headers.get("Content-Type", "").startswith("text/html"):
            response.headers.setdefault(POLICY, settings.CLOSED_POLICY)
        elif not (settings.DEBUG and response.status_code in DEBUG_PAGES):
            response.headers.setdefault(POLICY, self._page_policy)
