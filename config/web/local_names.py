"""Redirects between the local names of one machine."""

from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.deprecation import MiddlewareMixin

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
