"""The webhooks we send. See docs/webhooks.md."""

from datetime import timedelta
from typing import Any

from django.conf import settings

from bookings.models import ClassStatus, ClassType, WebhookKind
from bookings.webhooks.outcomes import DELAYS, GONE, MAX_ATTEMPTS
from config.lib.api.schema import say_duration

TAG = "Webhooks we send"
EVENT_ID = "0d4b9a0e-7f0c-4f0a-9a55-7f2f0a1c9d11"
PERSON_ID = "7d1f6f0e-4f0b-4d3c-9a56-0a5a3f0f1c11"
ID = {"type": "string", "format": "uuid"}
INSTANT = {"type": "string", "format": "date-time"}
COUNT = {"type": "integer", "minimum": 0}
STATUS = {"type": "string", "enum": ClassStatus.values}
CLASS = {
    "id": ID,
    "bookedById": ID | {"description": "The host."},
    "preferenceId": {"type": "string"},
    "status": STATUS,
    "classType": {"type": "string", "enum": ClassType.values},
    "classPrice": COUNT | {"description": "Centavos."},
    "startTime": INSTANT,
    "endTime": INSTANT,
    "currentParticipants": COUNT | {"description": "0 until the class is scheduled."},
    "maxParticipants": COUNT | {"description": "0 means 1."},
}
CLASS_EXAMPLE = {
    "id": "5b3c0a52-2b8e-4a51-8a5e-6c1b3b1f7e01",
    "bookedById": "f4d2c6a8-93a1-4f1e-b7a4-0d0c6b2e5a10",
    "preferenceId": "1000000001-5f0c9a36-5f1e-4b0c-a3b3-0a6f2f4f7a10",
    "status": "scheduled",
    "classType": "grupal",
    "classPrice": 1500000,
    "startTime": "2030-01-07T15:00:00-03:00",
    "endTime": "2030-01-07T16:00:00-03:00",
    "currentParticipants": 2,
    "maxParticipants": 5,
}
PERSON = {"userId": (ID, PERSON_ID)}
EARLIER_START = {"previousStartTime": (INSTANT, "2030-01-06T15:00:00-03:00")}
EARLIER_STATUS = {"previousStatus": (STATUS, "scheduled")}
# Properties beside the class, with shape and example.
More = dict[str, tuple[dict[str, Any], Any]]
EVENTS: dict[WebhookKind, tuple[str, More]] = {
    WebhookKind.SCHEDULED: (
        "A paid class got its event and its access code",
        {"previousStatus": (STATUS, "pending")},
    ),
    WebhookKind.JOINED: ("Somebody took a place", PERSON),
    WebhookKind.LEFT: ("A guest gave their place back", PERSON),
    WebhookKind.MOVED: ("A class has another time", EARLIER_START),
    WebhookKind.CANCELLED: (
        "A class does not take place; it may never have been scheduled",
        EARLIER_STATUS,
    ),
    WebhookKind.COMPLETED: ("A class is over", EARLIER_STATUS),
}
STATUSES = {
    WebhookKind.CANCELLED: ClassStatus.CANCELLED,
    WebhookKind.COMPLETED: ClassStatus.COMPLETED,
}
HEADERS = {
    "webhook-id": ("The same over all attempts: what was seen before is no news.", EVENT_ID),
    "webhook-timestamp": ("When this attempt was made, in Unix seconds.", "1893510000"),
    "webhook-signature": (
        "One or more, with spaces between: `v1,` and the HMAC-SHA256 of `id.timestamp.body`.",
        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    ),
}
PROMISE = (
    "Signed as Standard Webhooks 1.0.0 says, and sent at least once, in no promised order. "
    "How to verify it: docs/webhooks.md."
)


def add_webhooks(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """A hook of the generator."""
    result["components"]["schemas"]["WebhookClass"] = _object(CLASS)
    result["webhooks"] = {
        kind.value: {"post": _describe(kind, summary, more)}
        for kind, (summary, more) in EVENTS.items()
    }
    return result


def _describe(kind: WebhookKind, summary: str, more: More) -> dict[str, Any]:
    content = {"schema": _shape(kind, more), "example": _example(kind, more)}
    return {
        "operationId": f"on{kind.name.title()}",
        "tags": [TAG],
        "summary": summary,
        "description": PROMISE,
        "security": [],
        "parameters": [_header(name, *about) for name, about in HEADERS.items()],
        "requestBody": {"required": True, "content": {"application/json": content}},
        "responses": _answers(),
    }


def _answers() -> dict[str, Any]:
    patience = say_duration(settings.WEBHOOK_TIMEOUT)
    return {
        "2XX": {"description": f"It was taken, within {patience}. The body is not looked at."},
        str(GONE): {"description": "Nothing more is wanted: the receiver is switched off."},
        "default": {
            "description": (
                f"It was not taken, and is tried again, up to {MAX_ATTEMPTS} times in "
                f"{sum(DELAYS, timedelta()).days} days. "
                "Redirects are not followed; `Retry-After` in seconds is heeded."
            )
        },
    }


def _shape(kind: WebhookKind, more: More) -> dict[str, Any]:
    shapes = {name: shape for name, (shape, _) in more.items()}
    data = {"class": {"$ref": "#/components/schemas/WebhookClass"}, **shapes}
    return _object(
        {
            "id": ID,
            "type": {"type": "string", "enum": [kind.value]},
            "createdAt": INSTANT,
            "data": _object(data),
        }
    )


def _example(kind: WebhookKind, more: More) -> dict[str, Any]:
    one_class = CLASS_EXAMPLE | {"status": STATUSES.get(kind, ClassStatus.SCHEDULED).value}
    return {
        "id": EVENT_ID,
        "type": kind.value,
        "createdAt": "2030-01-05T15:00:00-03:00",
        "data": {"class": one_class} | {name: value for name, (_, value) in more.items()},
    }


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": list(properties), "properties": properties}


def _header(name: str, description: str, example: str) -> dict[str, Any]:
    return {
        "name": name,
        "in": "header",
        "required": True,
        "description": description,
        "schema": {"type": "string"},
        "example": example,
    }
