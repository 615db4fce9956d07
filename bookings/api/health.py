"""GET /healthz, for alarms, /readyz, for balancers, and /metrics. Our own additions."""

from functools import lru_cache
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, get_args

from django.apps import apps
from django.conf import settings
from django.core.cache import cache
from django.db import Error
from django.db.migrations.recorder import MigrationRecorder
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bookings.domain.calendar.grant import AccessState, describe_access
from bookings.models import Heartbeat
from bookings.work.health import WorkHealth, check_work
from bookings.work.metrics import ServiceCollector
from config.lib.api import operation

CACHE_KEY = "readyz"
STATES = ["ok", "failing"]
CALENDAR_STATES = [*get_args(AccessState), "unknown"]


class SweepStateSerializer(serializers.Serializer[None]):
    status = serializers.ChoiceField(choices=STATES)
    age = serializers.IntegerField(
        allow_null=True, help_text="Seconds since it last ended well; null for never."
    )


class HealthSerializer(serializers.Serializer[None]):
    status = serializers.ChoiceField(choices=STATES)
    database = serializers.ChoiceField(choices=STATES)
    worker = serializers.ChoiceField(choices=STATES, required=False)
    sweeps = serializers.DictField(child=SweepStateSerializer(), required=False)


class ReadinessSerializer(serializers.Serializer[None]):
    status = serializers.ChoiceField(choices=["ok", "degraded", "failing"])
    database = serializers.ChoiceField(choices=STATES)
    migrations = serializers.ChoiceField(choices=["ok", "missing", "unknown"])
    worker = serializers.ChoiceField(choices=["ok", "late", "stopped", "unknown"])
    calendar = serializers.ChoiceField(choices=CALENDAR_STATES)
    cache = serializers.ChoiceField(choices=["ok", "down", "unknown"])


class ProbeView(APIView):
    authentication_classes = []
    permission_classes = []


class HealthView(ProbeView):
    @operation("getHealth", responses=dict.fromkeys((200, 503), HealthSerializer))
    @method_decorator(never_cache)
    def get(self, request: Request) -> Response:
        try:
            work = check_work()
        except Error:
            return Response({"status": "failing", "database": "failing"}, status=503)
        state = "ok" if work.is_alive else "failing"
        sweeps = {sweep.name: _describe(sweep, work) for sweep in work.sweeps}
        body = {"status": state, "database": "ok", "worker": state, "sweeps": sweeps}
        return Response(body, status=200 if work.is_alive else 503)


class ReadinessView(ProbeView):
    @operation("getReadiness", responses=dict.fromkeys((200, 503), ReadinessSerializer))
    @method_decorator(never_cache)
    def get(self, request: Request) -> Response:
        try:
            if _known_migrations() - _applied_migrations():
                return _refuse(database="ok", migrations="missing")
            # A row that does not exist: a read-only database refuses even this update.
            Heartbeat.objects.filter(name="").update(count=0)
            others = _check_others()
        except Error:
            return _refuse(database="failing", migrations="unknown")
        status = "ok" if set(others.values()) == {"ok"} else "degraded"
        return Response({"status": status, "database": "ok", "migrations": "ok", **others})


def _refuse(**found: str) -> Response:
    unknown = dict.fromkeys(("worker", "calendar", "cache"), "unknown")
    return Response({"status": "failing", **found, **unknown}, status=503)


def _check_others() -> dict[str, str]:
    work = check_work()
    cache.set(CACHE_KEY, True, timeout=60)
    is_cache_up = cache.get(CACHE_KEY) is True  # one that is down behaves as empty
    return {
        "worker": "ok" if work.is_alive else "stopped" if work.is_stopped else "late",
        "calendar": describe_access(is_down=work.calendar_down_since is not None),
        "cache": "ok" if is_cache_up else "down",
    }


def _describe(sweep: Heartbeat, work: WorkHealth) -> dict[str, Any]:
    age = None if sweep.beat_at is None else int((work.at - sweep.beat_at).total_seconds())
    return {"status": "failing" if sweep in work.late else "ok", "age": age}


@lru_cache(maxsize=1)
def _known_migrations() -> frozenset[tuple[str, str]]:
    """Read the files' names: Django's loader imports them, 10 MB a process."""
    return frozenset(
        (app.label, module.name)
        for app in apps.get_app_configs()
        for module in iter_modules([str(Path(app.path) / "migrations")])
        if not module.ispkg and module.name[0] not in "_~"
    )


def _applied_migrations() -> set[tuple[str, str]]:
    return set(MigrationRecorder.Migration.objects.values_list("app", "name"))


@require_GET
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Answer 404 without METRICS_TOKEN, 401 to a wrong one."""
    if not settings.METRICS_TOKEN:
        raise Http404
    given = request.headers.get("Authorization", "")
    if not constant_time_compare(given, f"Bearer {settings.METRICS_TOKEN}"):
        challenge = {"WWW-Authenticate": "Bearer"}
        return HttpResponse(status=401, headers=challenge, content_type="text/plain")
    service = CollectorRegistry()
    service.register(ServiceCollector())
    figures = generate_latest(_counts()) + generate_latest(service)
    return HttpResponse(figures, content_type=CONTENT_TYPE_LATEST)


def _counts() -> CollectorRegistry:
    if not settings.METRICS_DIRECTORY:
        return REGISTRY
    shared = CollectorRegistry()
    collect: Any = MultiProcessCollector  # carries no types
    collect(shared, path=settings.METRICS_DIRECTORY)
    return shared
