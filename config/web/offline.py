"""The page that browsers show without a connection, and the service worker that keeps it.

The worker answers only for pages that cannot be loaded, and stores no personal page.
"""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from config.version import VERSION

# The policy of a worker's script applies to what it fetches.
POLICY = "default-src 'none'; connect-src 'self'"
# How long a browser keeps its worker, and so how late a change may reach it.
WORKER_SECONDS = 3_600


@require_safe
def show_offline_page(request: HttpRequest) -> HttpResponse:
    return render(request, "offline/page.html")


@require_safe
@cache_control(max_age=WORKER_SECONDS)
def serve_worker(request: HttpRequest) -> HttpResponse:
    """At the top of the site: a worker answers only for addresses below its own."""
    kind = "text/javascript; charset=utf-8"
    response = render(request, "offline/worker.js", {"version": VERSION}, content_type=kind)
    response.headers["Content-Security-Policy"] = POLICY
    return response
