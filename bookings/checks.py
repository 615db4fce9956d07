"""System checks: what about bookings would surprise whoever deploys."""

from typing import Any

from django.conf import settings
from django.core import checks

from bookings.domain.trigger_policy import TriggerPolicy, get_trigger_policy


@checks.register(checks.Tags.security, deploy=True)
def check_trigger_policy(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    """Warn when anybody who knows a preference id can have its class scheduled unpaid."""
    if get_trigger_policy() != TriggerPolicy.OPEN:
        return []
    return [
        checks.Warning(
            "POST /api/calendar schedules classes without asking whether they are paid.",
            hint="Set CALENDAR_TRIGGER_POLICY=paid: the teacher then marks classes as paid.",
            id="bookings.W001",
        )
    ]


@checks.register(checks.Tags.security, deploy=True)
def check_webhook_secret(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    """Warn when notifications of payments cannot be told from forged ones."""
    if not settings.MERCADOPAGO_ACCESS_TOKEN or settings.MERCADOPAGO_WEBHOOK_SECRET:
        return []
    return [
        checks.Warning(
            "Anybody can make the service ask Mercado Pago about payments.",
            hint="Set MERCADOPAGO_WEBHOOK_SECRET to the secret of the webhook in the panel.",
            id="bookings.W002",
        )
    ]


@checks.register(checks.Tags.compatibility, deploy=True)
def check_metrics(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    """Warn when each scrape would tell what another one of the processes counted."""
    if not settings.METRICS_TOKEN or settings.METRICS_DIRECTORY:
        return []
    return [
        checks.Warning(
            "Each process tells its own figures at /metrics, and none those of the worker.",
            hint="Set METRICS_DIRECTORY to a folder that all of them may write to.",
            id="bookings.W003",
        )
    ]
