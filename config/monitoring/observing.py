"""What becomes of each request, for whoever watches: an id, a line of the log, a figure."""

import re
from collections.abc import Callable
from time import perf_counter

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from config.lib.tracing import new_id, work_tags
from config.monitoring.access_log import write_line
from config.monitoring.figures import figures
from config.monitoring.logs import REQUEST_ID

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# What has no route: files, and addresses that are none of ours.
FILES, NOWHERE = "(static)", "(none)"
# Asked every few seconds by programs, or by every page; only what goes wrong is worth a line.
QUIET = frozenset({"healthz", "readyz", "metrics", FILES})
HEADER = "X-Request-ID"
GIVEN_ID = re.compile(r"[A-Za-z0-9._-]{8,64}", re.ASCII)


class ObservingMiddleware:
    """Stands around everything else, so that no answer goes unseen.

    It is on the way of every request, so it costs microseconds: ``tests/bench/observing.py``.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self._is_behind_proxy = settings.TRUSTED_PROXIES > 0
        self._has_log = settings.ACCESS_LOG

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer under an id, and tell what came of it."""
        began = perf_counter()
        request_id = (self._is_behind_proxy and _given_id(request)) or new_id()
        # Django logs some answers once everything here is over, and attaches the request.
        request.META[REQUEST_ID] = request_id
        token = work_tags.set({"request_id": request_id})
        try:
            response = self.get_response(request)
            response.headers[HEADER] = request_id
            self._tell(request, response.status_code, perf_counter() - began)
            return response
        finally:
            work_tags.reset(token)

    def _tell(self, request: HttpRequest, status: int, seconds: float) -> None:
        """Count the request, and write its line."""
        method = request.method if request.method in METHODS else "OTHER"
        match = request.resolver_match
        route = match.route if match else _name_without_route(request)
        figures.add((method, route, status), seconds)
        if self._has_log and (route not in QUIET or status >= 500):
            write_line(method, route, status, seconds, **_whose(request))


def _name_without_route(request: HttpRequest) -> str:
    """Name what was asked for in no word that the sender wrote."""
    return FILES if request.path_info.startswith(settings.STATIC_URL) else NOWHERE


def _given_id(request: HttpRequest) -> str:
    """Give the id that the proxy in front sends, so that its log and ours fit, if it can be one."""
    given: str = request.META.get("HTTP_X_REQUEST_ID", "")
    return given if GIVEN_ID.fullmatch(given) else ""


def _whose(request: HttpRequest) -> dict[str, object]:
    """Give the request's id and the person's, as far as somebody has looked who it is."""
    session = request.__dict__.get("session")
    user = session.seen_user if session else None
    return {"request_id": request.META[REQUEST_ID], "user_id": user.pk if user else None}
