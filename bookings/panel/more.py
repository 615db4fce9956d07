"""The panel's pages of links: what the teacher needs rarely, and the technical part."""

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from bookings.work.service_state import load_service_state


@require_safe
def show_more(request: HttpRequest) -> HttpResponse:
    context = {**admin.site.each_context(request), "title": "Más"}
    return render(request, "admin/more.html", context)


@require_safe
def show_technical(request: HttpRequest) -> HttpResponse:
    """Show the state of the service, and the lists of Django."""
    if not request.user.has_perm("bookings.view_virtualclass"):
        raise PermissionDenied
    context = {
        **admin.site.each_context(request),
        "title": "Técnico",
        "service": load_service_state(),
    }
    return render(request, "admin/technical.html", context)
