"""The calendar's settings."""

import json
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from config.env.values import Values

API_URL = "https://www.googleapis.com/calendar/v3"
MEET_API_URL = "https://meet.googleapis.com"
MEET_ACCESSES = ("invited", "open")
TRIGGER_POLICIES = ("auto", "open", "paid", "secret", "closed")
CONSENTS = ("everyone", "teacher")


@dataclass(frozen=True, slots=True, repr=False)
class Calendar:
    """The parsed values; prints none.

    calendar_api_url, meet_api_url: end in a slash. calendar_consent: ``everyone`` or ``teacher``.
    service_account: the key, or None.
    """

    calendar_api_url: str
    calendar_id: str
    calendar_api_key: str
    calendar_consent: str
    service_account: dict[str, Any] | None
    calendar_cache_seconds: int
    calendar_stale_seconds: int
    calendar_trigger_policy: str
    meet_access: str
    meet_api_url: str
    calendar_trigger_secret: str


def parse_calendar(read: Values, *, local: bool) -> Calendar:
    """Read the values. local: allow http. Raises ImproperlyConfigured."""
    return Calendar(
        calendar_api_url=read.address("CALENDAR_API_URL", API_URL, local=local) + "/",
        calendar_id=read.text("CALENDAR_ID", default="primary"),
        calendar_api_key=read.text("CALENDAR_API_KEY"),
        calendar_consent=read.one_of("CALENDAR_CONSENT", CONSENTS),
        service_account=_service_account(read),
        calendar_cache_seconds=read.whole_number("CALENDAR_CACHE_SECONDS", default=15),
        calendar_stale_seconds=read.whole_number("CALENDAR_STALE_SECONDS", default=60),
        calendar_trigger_policy=_trigger_policy(read),
        calendar_trigger_secret=read.text("CALENDAR_TRIGGER_SECRET"),
        meet_access=read.one_of("MEET_ACCESS", MEET_ACCESSES),
        meet_api_url=read.address("MEET_API_URL", MEET_API_URL, local=local) + "/",
    )


def _service_account(read: Values) -> dict[str, Any] | None:
    text = read.text("SERVICE_ACCOUNT_JSON")
    if not text:
        return None
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict) or value.get("type") != "service_account":
        raise ImproperlyConfigured("SERVICE_ACCOUNT_JSON must be a service account's JSON key.")
    return value


def _trigger_policy(read: Values) -> str:
    policy = read.one_of("CALENDAR_TRIGGER_POLICY", TRIGGER_POLICIES)
    if policy == "secret" and not read.text("CALENDAR_TRIGGER_SECRET"):
        raise ImproperlyConfigured(
            "CALENDAR_TRIGGER_SECRET is missing: CALENDAR_TRIGGER_POLICY=secret compares it."
        )
    return policy
