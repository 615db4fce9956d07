"""The document quotes the service: its limits from the settings, its texts from where they are."""

import ast
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from django.conf import settings

from config.api.openapi import get_document

ROOT = Path(__file__).resolve().parents[3]
ROOMS = ("accounts", "bookings", "calendar_sync", "config")
# The limits that the texts name.
LIMITS = {
    "DATA_UPLOAD_MAX_MEMORY_SIZE": 64 * 1024,
    "MAX_CLASS_LENGTH": timedelta(hours=8),
    "MAX_SIGN_IN_STARTS": 100,
    "MAX_BOOKINGS": 1_000,
    "MAX_LOOK_UPS": 240,
    "MAX_UNPAID_HOLDS": 3,
    "MAX_UNPAID_PREFERENCES": 10,
    "MAX_UNVERIFIED_NOTIFICATIONS": 120,
    "MAX_UNVERIFIED_NOTIFICATIONS_OF_ALL": 1_200,
    "SESSION_COOKIE_AGE": 30 * 86_400,
    "SESSION_UPDATE_AGE": timedelta(hours=12),
    "WEBHOOK_TIMEOUT": timedelta(seconds=15),
}


def test_limits_are_those_of_the_settings():
    assert {name: getattr(settings, name) for name in LIMITS} == LIMITS
    document = get_document().content
    paths = document["paths"]
    booking = paths["/api/booking"]["post"]
    taken = document["webhooks"]["class.joined"]["post"]["responses"]["2XX"]
    told = {
        "within 8 hours.": booking["description"],
        "made 1,000 bookings": booking["responses"]["429"]["description"],
        "over 64 KiB.": document["components"]["responses"]["BodyTooLarge"]["description"],
        "for 30 days,": document["components"]["securitySchemes"]["session"]["description"],
        "older than 12 hours.": paths["/api/auth/session"]["get"]["description"],
        "3 unpaid times are held": refusal(paths, "/api/payments/preference"),
        "or 10 payments": refusal(paths, "/api/payments/preference"),
        "Over 100 begun": refusal(paths, "/api/auth/signin/{provider_id}"),
        "Over 120 a minute": refusal(paths, "/api/webhooks/mercadopago"),
        "or 1,200 from all": refusal(paths, "/api/webhooks/mercadopago"),
        "within 15 seconds.": taken["description"],
    }

    assert [words for words, text in told.items() if words not in text] == []


def refusal(paths, path):
    return paths[path]["post"]["responses"]["429"]["description"]


def test_what_the_api_says_is_written_once():
    said = set(texts_in(get_document().content))
    written = Counter(
        literal
        for room in ROOMS
        for path in (ROOT / room).rglob("*.py")
        for literal in literals(path)
    )

    assert len(said) > 30
    assert {text for text in said if written[text] > 1} == set()


def texts_in(value: object) -> Iterator[str]:
    """Give what the examples say to people."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in {"error", "message"} and isinstance(inner, str):
                yield inner
            yield from texts_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts_in(inner)


def literals(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
