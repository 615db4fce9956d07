"""Values for calendar, payments and metrics. Each raises ImproperlyConfigured."""

import json
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from config.env.values import Values

TRIGGER_POLICIES = ("auto", "open", "paid", "secret", "closed")
# The shortest token that cannot be guessed.
SHORTEST_TOKEN = 16


def service_account(env: Values) -> dict[str, Any] | None:
    text = env.text("SERVICE_ACCOUNT_JSON")
    if not text:
        return None
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict) or value.get("type") != "service_account":
        raise ImproperlyConfigured("SERVICE_ACCOUNT_JSON must be a service account's JSON key.")
    return value


def trigger_policy(env: Values) -> str:
    policy = env.one_of("CALENDAR_TRIGGER_POLICY", *TRIGGER_POLICIES)
    if policy == "secret" and not env.text("CALENDAR_TRIGGER_SECRET"):
        raise ImproperlyConfigured(
            "CALENDAR_TRIGGER_SECRET is missing: CALENDAR_TRIGGER_POLICY=secret compares it."
        )
    return policy


def collector_id(env: Values) -> str:
    """Return the account that must receive the money; tokens end with it."""
    token = env.text("MERCADOPAGO_ACCESS_TOKEN")
    value = token.rpartition("-")[2]
    if token and not (value.isascii() and value.isdigit()):
        raise ImproperlyConfigured(
            "MERCADOPAGO_ACCESS_TOKEN must end with the number of the account: APP_USR-...-123."
        )
    return value


def metrics_token(env: Values) -> str:
    token = env.text("METRICS_TOKEN")
    if token and (len(token) < SHORTEST_TOKEN or not token.isascii()):
        raise ImproperlyConfigured(
            f"METRICS_TOKEN must have {SHORTEST_TOKEN} or more plain characters."
        )
    return token
