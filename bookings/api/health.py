"""GET /healthz and /readyz: for whoever watches the service. Our own additions.

Two questions with two answers. Does this process serve? A balancer asks, and a stopped worker is no
reason to take the web server away. Does the service keep its promises? Somebody has to be woken up.
"""

from functools import lru_cache
from typing import Any

from django.db import Error, connection
from django.db.migrations.loader import MigrationLoader
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from bookings.health import SweepHealth, WorkHealth, check_work

NO_DATABASE = {"status": "failing", "database": "failing"}


@require_safe
@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer 200 when the database answers and every sweep ran lately, else 503; one query."""
    try:
        work = check_work()
    except Error:
        return JsonResponse(NO_DATABASE, status=503)
    body = {
        "status": "ok" if work.is_alive else "failing",
        "database": "ok",
        "worker": "ok" if work.is_alive else "failing",
        "sweeps": {sweep.name: _describe(sweep, work) for sweep in work.sweeps},
    }
    return JsonResponse(body, status=200 if work.is_alive else 503)


@require_safe
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """Answer 200 when the database answers and has every migration, else 503; one query."""
    try:
        missing = _newest_migrations() - _applied_migrations()
    except Error:
        return JsonResponse({**NO_DATABASE, "migrations": "unknown"}, status=503)
    state = "missing" if missing else "ok"
    body = {"status": "failing" if missing else "ok", "database": "ok", "migrations": state}
    return JsonResponse(body, status=503 if missing else 200)


def _describe(sweep: SweepHealth, work: WorkHealth) -> dict[str, Any]:
    """Say how long ago a sweep last ended well, in seconds, null for never; and if that will do."""
    age = None if sweep.beat_at is None else int((work.at - sweep.beat_at).total_seconds())
    return {"status": "failing" if sweep.is_late else "ok", "age": age}


@lru_cache(maxsize=1)
def _newest_migrations() -> frozenset[tuple[str, str]]:
    """The last migration of each app: a process's code does not change."""
    return frozenset(MigrationLoader(None).graph.leaf_nodes())


def _applied_migrations() -> set[tuple[str, str]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT app, name FROM django_migrations")
        return {(app, name) for app, name in cursor.fetchall()}
