"""Redirects between the local names of one machine."""

from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

# For programs, under any name.
ANYWHERE = ("/api/", "/static/", "/healthz", "/readyz", "/metrics")


class LocalNameMiddleware:
    """Redirect pages under another local name to BASE_URL, whose cookies they need."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        name = urlsplit(f"//{request.get_host()}").hostname
        is_page = request.method in {"GET", "HEAD"} and not request.path.startswith(ANYWHERE)
        if is_page and name != urlsplit(settings.BASE_URL).hostname:
            return HttpResponseRedirect(settings.BASE_URL + request.get_full_path())
        return self.get_response(request)
