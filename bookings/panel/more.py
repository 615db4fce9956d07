"""The panel's pages of links."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from bookings.admin.pages import requires, show_page
from bookings.work.service_state import load_service_state


@require_safe
def show_more(request: HttpRequest) -> HttpResponse:
    return show_page(request, "admin/more.html", title="Más")


@require_safe
@requires("bookings.view_virtualclass")
def show_technical(request: HttpRequest) -> HttpResponse:
    state = load_service_state()
    return show_page(request, "admin/technical.html", title="Técnico", service=state)
