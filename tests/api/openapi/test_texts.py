"""The document quotes the service: its limits from the settings, its texts from where they are."""

import ast
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from config.api.openapi import generate, get_document
from config.lib.api import say_bytes, say_duration

ROOT = Path(__file__).resolve().parents[3]
ROOMS = ("accounts", "bookings", "calendar_sync", "config")
# As they are not in the settings that the tests run with.
LIMITS = {
    "DATA_UPLOAD_MAX_MEMORY_SIZE": 71 * 1024,
    "MAX_CLASS_LENGTH": timedelta(hours=11),
    "MAX_SIGN_IN_STARTS": 137,
    "MAX_BOOKINGS": 31,
    "MAX_UNPAID_HOLDS": 7,
    "MAX_UNPAID_PREFERENCES": 17,
    "MAX_UNVERIFIED_NOTIFICATIONS": 1_234,
    "MAX_UNVERIFIED_NOTIFICATIONS_OF_ALL": 5_678,
    "SESSION_COOKIE_AGE": 19 * 86_400,
    "SESSION_UPDATE_AGE": timedelta(hours=7),
    "WEBHOOK_TIMEOUT": timedelta(seconds=23),
}


@pytest.fixture
def document(settings):
    for name, value in LIMITS.items():
        setattr(settings, name, value)
    return generate()


def test_limits_follow_the_settings(document):
    paths, components = document["paths"], document["components"]
    booking = paths["/api/booking"]["post"]
    told = {
        "a class": booking["description"],
        "bookings": booking["responses"]["429"]["description"],
        "a booking's body": booking["responses"]["413"]["description"],
        "a body": components["responses"]["BodyTooLarge"]["description"],
        "session": components["securitySchemes"]["session"]["description"],
        "renewal": paths["/api/auth/session"]["get"]["description"],
        "payments": refusal(paths, "/api/payments/preference"),
        "starts": refusal(paths, "/api/auth/signin/{provider_id}"),
        "notices": refusal(paths, "/api/webhooks/mercadopago"),
        "receivers": document["webhooks"]["class.joined"]["post"]["responses"]["2XX"][
            "description"
        ],
    }
    wanted = {
        "a class": "within 11 hours.",
        "bookings": "made 31 bookings",
        "a booking's body": "over 71 KiB.",
        "a body": "over 71 KiB.",
        "session": "for 19 days,",
        "renewal": "older than 7 hours.",
        "payments": "7 unpaid times are held for this person already, or 17 payments of this",
        "starts": "Over 137 begun",
        "notices": "Over 1,234 a minute without a valid signature from one address, or 5,678 from",
        "receivers": "within 23 seconds.",
    }

    assert {name: words for name, words in wanted.items() if words not in told[name]} == {}


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


@pytest.mark.parametrize(
    ("duration", "words"),
    [
        (timedelta(days=90), "90 days"),
        (timedelta(days=1), "1 day"),
        (timedelta(hours=36), "36 hours"),
        (timedelta(minutes=90), "90 minutes"),
        (timedelta(seconds=15), "15 seconds"),
    ],
    ids=str,
)
def test_durations_are_said_in_whole_units(duration, words):
    assert say_duration(duration) == words


@pytest.mark.parametrize(
    ("number", "words"), [(65_536, "64 KiB"), (2_097_152, "2,048 KiB"), (65_537, "65,537 bytes")]
)
def test_sizes_are_said_in_kib_where_they_are_whole(number, words):
    assert say_bytes(number) == words
