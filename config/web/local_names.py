"""The other names of this machine: 127.0.0.1 where BASE_URL says localhost, and the reverse."""

from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

# What programs ask for is answered under any of the names.
ANYWHERE = ("/api/", "/static/", "/healthz", "/readyz", "/metrics")


class LocalNameMiddleware:
    """Redirects pages that are opened under another local name to the one of BASE_URL.

    A browser keeps cookies for one name, and sign-in comes back to BASE_URL: on a page under
    the other name it would fail. Used with DEBUG or DEMO only.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Redirect to the same page of BASE_URL, or go on."""
        name = urlsplit(f"//{request.get_host()}").hostname
        is_page = request.method in {"GET", "HEAD"} and not request.path.startswith(ANYWHERE)
        if is_page and name != urlsplit(settings.BASE_URL).hostname:
            return HttpResponseRedirect(settings.BASE_URL + request.get_full_path())
        return self.get_response(request)
