"""GET /healthz and /readyz: for whoever watches the service. Our own additions.

Two questions with two answers. Does this process serve? A balancer asks, and a stopped worker or a
lost calendar is no reason to take the web server away: people book, and what waits is done later.
Does the service keep its promises? Somebody has to be woken up.
"""

from functools import lru_cache
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from django.apps import apps
from django.core.cache import cache
from django.db import Error, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from bookings.domain.calendar.access import describe_access
from bookings.models import Heartbeat
from bookings.work.health import SweepHealth, WorkHealth, check_work

NO_DATABASE = {"status": "failing", "database": "failing"}
CACHE_KEY = "readyz"


@csrf_exempt  # another method gets 405, not a word about a token
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


@csrf_exempt  # another method gets 405, not a word about a token
@require_safe
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """Answer 200 when the database can be written to and has every migration, else 503.

    A worker, a calendar or a cache that fails makes it ``degraded``, which is 200 as well.
    Four queries, five with a service account.
    """
    unknown = {"worker": "unknown", "calendar": "unknown", "cache": "unknown"}
    try:
        if _known_migrations() - _applied_migrations():
            body = {"status": "failing", "database": "ok", "migrations": "missing", **unknown}
            return JsonResponse(body, status=503)
        _check_writing()
        others = _check_others()
    except Error:
        body = {**NO_DATABASE, "migrations": "unknown", **unknown}
        return JsonResponse(body, status=503)
    status = "ok" if set(others.values()) == {"ok"} else "degraded"
    return JsonResponse({"status": status, "database": "ok", "migrations": "ok", **others})


def _check_writing() -> None:
    """Update a row that does not exist: a read-only database refuses even that. Raises Error."""
    Heartbeat.objects.filter(name="").update(count=0)


def _check_others() -> dict[str, str]:
    """Say how the worker, the calendar and the cache are; two queries, or three."""
    work = check_work()
    return {
        "worker": "ok" if work.is_alive else "stopped" if work.is_stopped else "late",
        "calendar": describe_access(is_down=work.is_calendar_down),
        "cache": "ok" if _cache_keeps() else "down",
    }


def _cache_keeps() -> bool:
    """Whether the cache gives back what it was given: one that fails answers as an empty one."""
    cache.set(CACHE_KEY, True, timeout=60)
    return cache.get(CACHE_KEY) is True


def _describe(sweep: SweepHealth, work: WorkHealth) -> dict[str, Any]:
    """Say how long ago a sweep last ended well, in seconds, null for never; and if that will do."""
    age = None if sweep.beat_at is None else int((work.at - sweep.beat_at).total_seconds())
    return {"status": "failing" if sweep.is_late else "ok", "age": age}


@lru_cache(maxsize=1)
def _known_migrations() -> frozenset[tuple[str, str]]:
    """The migrations of each app: a process's code does not change.

    By the names of their files, as Django finds them. Its loader would import them all, and the
    process keep them: more than ten megabytes in each.
    """
    return frozenset(
        (app.label, module.name)
        for app in apps.get_app_configs()
        for module in iter_modules([str(Path(app.path) / "migrations")])
        if not module.ispkg and module.name[0] not in "_~"
    )


def _applied_migrations() -> set[tuple[str, str]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT app, name FROM django_migrations")
        return {(app, name) for app, name in cursor.fetchall()}
