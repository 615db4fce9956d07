"""``/robots.txt`` and ``/sitemap.xml``."""

from urllib.parse import urljoin

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from bookings.domain.sales.open_classes import list_open_classes

PUBLIC_PAGES = ("bookings:landing", "bookings:book", "bookings:open_classes", "bookings:privacy")


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """Personal pages say ``noindex`` themselves."""
    lines = [
        "User-agent: *",
        "Disallow: /admin/",
        "Disallow: /api/",
        f"Sitemap: {urljoin(settings.BASE_URL, reverse('bookings:sitemap'))}",
    ]
    return HttpResponse("\n".join([*lines, ""]), content_type="text/plain; charset=utf-8")


@require_safe
def sitemap(request: HttpRequest) -> HttpResponse:
    paths = [reverse(name) for name in PUBLIC_PAGES]
    paths += [reverse("bookings:open_class", args=[one.pk]) for one in list_open_classes()]
    addresses = [urljoin(settings.BASE_URL, path) for path in paths]
    return render(
        request,
        "bookings/front/sitemap.xml",
        {"addresses": addresses},
        content_type="application/xml",
    )
