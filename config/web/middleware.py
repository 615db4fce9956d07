"""Middleware of every response: security headers, methods and names."""

from functools import cached_property
from http import HTTPStatus
from typing import cast
from urllib.parse import urlsplit

from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.deprecation import MiddlewareMixin
from whitenoise.middleware import WhiteNoiseFileResponse

POLICY = "Content-Security-Policy"
# For responses that are no pages.
CLOSED_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
SECURITY_HEADERS = {
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Referrer-Policy": settings.SECURE_REFERRER_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": settings.X_FRAME_OPTIONS,
}
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
        for name, value in SECURITY_HEADERS.items():
            response.headers.setdefault(name, value)
        if getattr(response, "xframe_options_exempt", False):
            del response.headers["X-Frame-Options"]  # its policy names who may frame it
        if not response.headers.get("Content-Type", "").startswith("text/html"):
            response.headers.setdefault(POLICY, CLOSED_POLICY)
        elif not (settings.DEBUG and response.status_code in DEBUG_PAGES):
            response.headers.setdefault(POLICY, self._page_policy)
        return response


class WrongMethodMiddleware(MiddlewareMixin):
    """Give a browser's empty 405 a page, and remove the refused OPTIONS from ``Allow``."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if "Allow" in response:
            methods = response["Allow"].split(", ")
            response["Allow"] = ", ".join(name for name in methods if name != "OPTIONS")
        is_refused = response.status_code == HTTPStatus.METHOD_NOT_ALLOWED
        if is_refused and request.method == "GET" and not response.content:
            response.content = render(request, "405.html").content
        return response


# Programs may use any name for these.
ANYWHERE = ("/api/", "/static/", "/healthz", "/readyz", "/metrics")


class LocalNameMiddleware(MiddlewareMixin):
    """Redirect pages under another local name to BASE_URL, whose cookies they need."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        name = urlsplit(f"//{request.get_host()}").hostname
        is_page = request.method in {"GET", "HEAD"} and not request.path.startswith(ANYWHERE)
        if is_page and name != urlsplit(settings.BASE_URL).hostname:
            return HttpResponseRedirect(settings.BASE_URL + request.get_full_path())
        return None
