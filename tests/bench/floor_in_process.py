"""The floor inside the service's own process: no middleware, one view."""

from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.test import override_settings


class FloorRequest(WSGIRequest):
    """A request that knows its way without the service's addresses."""

    urlconf = "tests.bench.floor"


def floor_handler() -> WSGIHandler:
    """Give a WSGI application that is nothing but the floor."""
    with override_settings(MIDDLEWARE=[]):
        handler = WSGIHandler()
    handler.request_class = FloorRequest
    return handler
