"""GET /metrics, for Prometheus. Our own addition."""

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from bookings.work.metrics import ServiceCollector


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
