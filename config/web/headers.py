"""Content policy and security headers of every response."""

from functools import cached_property
from http import HTTPStatus
from typing import cast

from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin
from whitenoise.middleware import WhiteNoiseFileResponse

POLICY = "Content-Security-Policy"
# In development, Django's own pages for these have inline styles.
DEBUG_PAGES = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.INTERNAL_SERVER_ERROR})


class HeadersMiddleware(MiddlewareMixin):
    """Add CSP and security headers to every response but static files; headers of a view stay."""

    @cached_property
    def _page_policy(self) -> str:
        return build_policy(config=settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]) or ""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if isinstance(response, WhiteNoiseFileResponse):
            return cast(HttpResponse, response)
        for name, value in settings.SECURITY_HEADERS.items():
            response.headers.setdefault(name, value)
        if getattr(response, "xframe_options_exempt", False):
            del response.headers["X-Frame-Options"]  # its policy names who may frame it
        if not response.headers.get("Content-Type", "").startswith("text/html"):
            response.headers.setdefault(POLICY, settings.CLOSED_POLICY)
        elif not (settings.DEBUG and response.status_code in DEBUG_PAGES):
            response.headers.setdefault(POLICY, self._page_policy)
        return response
