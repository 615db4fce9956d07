"""System checks of the calendar's settings."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage

from calendar_sync.interface import name_calendar


def check_calendar(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    return [*_grant_messages(), *_service_account_messages(), *_access_messages()]


def _grant_messages() -> Iterator[CheckMessage]:
    if settings.CALENDAR_SERVICE_ACCOUNT:
        return
    if not settings.ADMIN_EMAIL:
        yield checks.Warning(
            "Neither ADMIN_EMAIL nor SERVICE_ACCOUNT_JSON is set: no class can get its event.",
            hint="Set ADMIN_EMAIL to the address whose owner signs in and grants the calendar.",
            id="calendar_sync.W001",
        )
    elif not (settings.AUTH_PROVIDER_ID and settings.AUTH_PROVIDER_SECRET):
        yield checks.Warning(
            "AUTH_PROVIDER_ID or AUTH_PROVIDER_SECRET is missing: the administrator's grant "
            "cannot be used.",
            id="calendar_sync.W002",
        )


def _service_account_messages() -> Iterator[CheckMessage]:
    account = settings.CALENDAR_SERVICE_ACCOUNT
    if not account:
        return
    needed = ("client_email", "private_key", "token_uri")
    missing = [name for name in needed if not account.get(name)]
    if missing:
        yield checks.Error(
            f"SERVICE_ACCOUNT_JSON lacks {', '.join(missing)}.", id="calendar_sync.E001"
        )
    if not settings.ADMIN_EMAIL:
        yield checks.Warning(
            "SERVICE_ACCOUNT_JSON without ADMIN_EMAIL acts as itself: events have no guests, and "
            "Google may refuse the video meeting.",
            hint="Set ADMIN_EMAIL to a user whom the account may act for (domain-wide delegation).",
            id="calendar_sync.W003",
        )


def _access_messages() -> Iterator[CheckMessage]:
    if settings.CALENDAR_API_KEY and name_calendar() == "primary":
        yield checks.Warning(
            "CALENDAR_API_KEY is not used: CALENDAR_ID is primary, and no ADMIN_EMAIL says whose.",
            hint="Set ADMIN_EMAIL, or CALENDAR_ID to the calendar's own address; or drop the key.",
            id="calendar_sync.W004",
        )
    if not settings.CALENDAR_API_URL.endswith("/calendar/v3/"):
        yield checks.Error(
            "CALENDAR_API_URL must end in /calendar/v3: it replaces the client's whole base "
            "address.",
            id="calendar_sync.E002",
        )
