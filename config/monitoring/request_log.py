"""Each request's id, its line in the log and its timing."""

import logging
import re
import time
from collections.abc import Callable
from secrets import token_hex

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from prometheus_client import Histogram

from config.lib.background_jobs import tagged
from config.monitoring.logs import REQUEST_ID

logger = logging.getLogger("access")

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# Requests without a route: files, and addresses that are not ours.
FILES, NOWHERE = "(static)", "(none)"
# Programs ask for these every few seconds, or every page does: log only failures.
QUIET = frozenset({"healthz", "readyz", "metrics", FILES})
HEADER = "X-Request-ID"
GIVEN_ID = re.compile(r"[A-Za-z0-9._-]{8,64}", re.ASCII)
SECONDS = Histogram(
    "classes_http_request_seconds",
    "How long requests took, by method, route and status.",
    ["method", "route", "status"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)


class RequestLogMiddleware:
    """The outermost middleware."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        # A proxy's own log names the request by this id.
        given = request.META.get("HTTP_X_REQUEST_ID", "") if settings.TRUSTED_PROXIES else ""
        request_id = given if GIVEN_ID.fullmatch(given) else token_hex(8)
        # Django logs some answers after every middleware, and attaches the request.
        request.META[REQUEST_ID] = request_id
        with tagged(request_id=request_id):
            response = self.get_response(request)
            response.headers[HEADER] = request_id
            self._record(request, response.status_code, time.perf_counter() - began)
            return response

    def _record(self, request: HttpRequest, status: int, seconds: float) -> None:
        method = request.method if request.method in METHODS else "OTHER"
        match = request.resolver_match
        is_file = request.path_info.startswith(settings.STATIC_URL)
        route = match.route if match else FILES if is_file else NOWHERE
        SECONDS.labels(method, route, status).observe(seconds)
        if route not in QUIET or status >= 500:
            _write_line(method, route, status, seconds, request)


def _write_line(method: str, route: str, status: int, seconds: float, request: HttpRequest) -> None:
    """gunicorn's own line would show the path, which may hold an access code."""
    session = getattr(request, "session", None)
    user = session.seen_user if session else None  # costs no query
    ms = round(seconds * 1000, 1)
    fields = {"method": method, "route": route, "status": status, "ms": ms}
    fields["user_id"] = str(user.pk) if user else None
    logger.info("%s /%s %s %.0f ms", method, route, status, ms, extra=fields)
