"""What makes the site an app on a phone: its manifest, and a page without a connection.

The service worker answers only for pages that cannot be loaded, and stores no personal page.
"""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
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


@require_safe
@cache_control(max_age=WORKER_SECONDS)
def serve_manifest(request: HttpRequest) -> HttpResponse:
    """https://developer.mozilla.org/docs/Web/Progressive_web_apps/Manifest"""
    icons = [
        ("icon-192", 192, "any"),
        ("icon-512", 512, "any"),
        ("icon-maskable-512", 512, "maskable"),
    ]
    manifest = {
        "name": _(settings.SITE_NAME),
        "lang": get_language(),
        "id": "/",
        "start_url": reverse("bookings:inicio"),
        "display": "standalone",
        "background_color": "#faf8f2",
        "theme_color": "#faf8f2",
        "icons": [
            {
                "src": static(f"img/{name}.png"),
                "sizes": f"{size}x{size}",
                "type": "image/png",
                "purpose": purpose,
            }
            for name, size, purpose in icons
        ],
    }
    return JsonResponse(manifest, content_type="application/manifest+json")
