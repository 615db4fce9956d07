"""Middleware of all doors."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from bookings.models import keep_rules

Handler = Callable[[HttpRequest], HttpResponse]


def rules_middleware(get_response: Handler) -> Handler:
    """Read the booking rules once in a request."""

    def handle(request: HttpRequest) -> HttpResponse:
        with keep_rules():
            return get_response(request)

    return handle
