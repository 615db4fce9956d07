"""System checks of the settings that concern classes."""

from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core import checks
from django.db import Error, connection
from django.db.backends.base.base import BaseDatabaseWrapper

from bookings.domain.classes.scheduling import TriggerPolicy, get_trigger_policy
from bookings.payments.backend import PROVIDERS


@checks.register(checks.Tags.security, deploy=True)
def check_settings(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    return list(_settings_messages())


def _settings_messages() -> Iterator[checks.CheckMessage]:
    if get_trigger_policy() == TriggerPolicy.OPEN:
        yield checks.Warning(
            "POST /api/calendar schedules classes without asking whether they are paid.",
            hint="Set CALENDAR_TRIGGER_POLICY=paid: the teacher then marks classes as paid.",
            id="bookings.W001",
        )
    for provider in PROVIDERS.values():
        yield from provider.check_settings()
    if settings.METRICS_TOKEN and not settings.METRICS_DIRECTORY:
        yield checks.Warning(
            "Each process shows only its own figures at /metrics, and none shows the worker's.",
            hint="Set PROMETHEUS_MULTIPROC_DIR to a folder that all of them may write to.",
            id="bookings.W003",
        )


@checks.register(checks.Tags.compatibility, deploy=True)
def check_connections(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    if connection.vendor != "postgresql":
        return []
    try:
        return [*_limit_messages(), *_pooler_messages()]
    except Error:
        message = "The database did not answer: its limits were not checked."
        return [checks.Info(message, id="bookings.I001")]


def _limit_messages() -> Iterator[checks.CheckMessage]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name FROM pg_settings"
            " WHERE name IN ('statement_timeout', 'lock_timeout') AND setting = '0' ORDER BY name"
        )
        missing = ", ".join(name for (name,) in cursor.fetchall())
    if missing:
        yield checks.Warning(
            f"{missing}: no limit is in force in the database.",
            hint="A pooler drops what a connection asks for. Set both limits at the role: "
            "docs/deploy-reasons.md, PgBouncer.",
            id="bookings.W004",
        )


def _pooler_messages() -> Iterator[checks.CheckMessage]:
    if connection.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS"):
        return
    if leads_through_pooler(connection):
        yield checks.Warning(
            "DATABASE_URL leads through a pooler and does not say so.",
            hint="Add ?disable_server_side_cursors=true to it, unless each client keeps a server.",
            id="bookings.W005",
        )


def leads_through_pooler(connection: BaseDatabaseWrapper) -> bool:
    """True if the server reports another process id: poolers make one up."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [answering] = cursor.fetchone()
    return bool(answering != connection.connection.info.backend_pid)
