"""The webhooks we send. See docs/webhooks.md."""

from datetime import timedelta
from typing import Any

from django.conf import settings

from bookings.models import ClassStatus, ClassType, WebhookKind
from bookings.webhooks.outcomes import DELAYS, GONE, MAX_ATTEMPTS
from config.lib.api.schema import object_of, say_duration

TAG = "Webhooks we send"
EVENT_ID = "0d4b9a0e-7f0c-4f0a-9a55-7f2f0a1c9d11"
ID = {"type": "string", "format": "uuid"}
INSTANT = {"type": "string", "format": "date-time"}
COUNT = {"type": "integer", "minimum": 0}
STATUS = {"type": "string", "enum": ClassStatus.values}
# Properties, each with its shape and an example.
Properties = dict[str, tuple[dict[str, Any], Any]]
LIST_PRICE = (COUNT | {"description": "Centavos, without the discount."}, 1800000)
DISCOUNT = (
    object_of(
        {
            "id": {"type": "string", "description": "The code's, but not the code."},
            "percent": {"type": ["integer", "null"]},
            "fixedAmount": {"type": ["integer", "null"], "description": "Centavos."},
            "amount": COUNT | {"description": "The centavos that it took off."},
        }
    )
    | {"type": ["object", "null"], "description": "null without a discount code."},
    {"id": "7", "percent": None, "fixedAmount": 300000, "amount": 300000},
)
CLASS: Properties = {
    "id": (ID, "5b3c0a52-2b8e-4a51-8a5e-6c1b3b1f7e01"),
    "bookedById": (ID | {"description": "The host."}, "f4d2c6a8-93a1-4f1e-b7a4-0d0c6b2e5a10"),
    "preferenceId": ({"type": "string"}, "1000000001-5f0c9a36-5f1e-4b0c-a3b3-0a6f2f4f7a10"),
    "status": (STATUS, "scheduled"),
    "classType": ({"type": "string", "enum": ClassType.values}, "grupal"),
    "classPrice": (COUNT | {"description": "Centavos to pay, for the whole class."}, 1500000),
    "listPrice": LIST_PRICE,
    "discount": DISCOUNT,
    "amountPaid": (
        COUNT | {"type": ["integer", "null"], "description": "Centavos; null until it is paid."},
        1500000,
    ),
    "offer": (
        object_of({"id": {"type": "string"}, "name": {"type": "string"}})
        | {"type": ["object", "null"], "description": "null for a class of the plain list."},
        {"id": "3", "name": "Clase de prueba"},
    ),
    "startTime": (INSTANT, "2030-01-07T15:00:00-03:00"),
    "endTime": (INSTANT, "2030-01-07T16:00:00-03:00"),
    "currentParticipants": (COUNT | {"description": "0 until the class is scheduled."}, 2),
    "maxParticipants": (COUNT | {"description": "0 means 1."}, 5),
}
PERSON: Properties = {"userId": (ID, "7d1f6f0e-4f0b-4d3c-9a56-0a5a3f0f1c11")}
PAYER: Properties = {
    "userId": (ID | {"description": "The person who pays."}, "f4d2c6a8-93a1-4f1e-b7a4-0d0c6b2e5a10")
}
AMOUNT: Properties = {"amount": (COUNT | {"description": "Centavos."}, 1500000)}
SEAT: Properties = PERSON | AMOUNT | {"listPrice": LIST_PRICE, "discount": DISCOUNT}
EARLIER_START: Properties = {"previousStartTime": (INSTANT, "2030-01-06T15:00:00-03:00")}
EARLIER_STATUS: Properties = {"previousStatus": (STATUS, "scheduled")}
# The summary of each webhook, and its properties beside the class.
EVENTS: dict[WebhookKind, tuple[str, Properties]] = {
    WebhookKind.SCHEDULED: (
        "A paid class got its event and its access code",
        {"previousStatus": (STATUS, "pending")},
    ),
    WebhookKind.JOINED: ("A person took a place", PERSON),
    WebhookKind.LEFT: ("A guest gave their place back", PERSON),
    WebhookKind.MOVED: ("A class has another time", EARLIER_START),
    WebhookKind.CANCELLED: (
        "A class does not take place; it may never have been scheduled",
        EARLIER_STATUS,
    ),
    WebhookKind.COMPLETED: ("A class is over", EARLIER_STATUS),
    WebhookKind.BOOKED_FOR: ("The teacher booked a class for a student", PERSON),
    WebhookKind.CLAIMED: ("An account took over a class booked without one", PERSON),
    WebhookKind.UNCLAIMED: ("A class was taken back from the account that took it over", PERSON),
    WebhookKind.TRANSFER_ANNOUNCED: (
        "A student says that a bank transfer is on its way",
        PAYER | AMOUNT,
    ),
    WebhookKind.TRANSFER_CONFIRMED: ("The teacher says that a bank transfer came", PAYER | AMOUNT),
    WebhookKind.TRANSFER_REFUSED: (
        "The teacher says that a bank transfer did not come",
        PAYER | AMOUNT,
    ),
    WebhookKind.PUBLISHED: ("The teacher published an open class", {}),
    WebhookKind.GOES_ON: ("An open class goes on, with its minimum or without", {}),
    WebhookKind.SEAT_PAID: ("A seat of an open class was paid", SEAT),
    WebhookKind.SEAT_LOST: ("A seat was paid that gets no place; its money goes back", SEAT),
}
STATUSES = {
    WebhookKind.CANCELLED: ClassStatus.CANCELLED,
    WebhookKind.COMPLETED: ClassStatus.COMPLETED,
    WebhookKind.BOOKED_FOR: ClassStatus.PENDING,
    WebhookKind.TRANSFER_ANNOUNCED: ClassStatus.PENDING,
    WebhookKind.TRANSFER_CONFIRMED: ClassStatus.PENDING,
    WebhookKind.TRANSFER_REFUSED: ClassStatus.PENDING,
    WebhookKind.PUBLISHED: ClassStatus.PENDING,
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
    """Add our webhooks; a postprocessing hook of drf-spectacular."""
    result["components"]["schemas"]["WebhookClass"] = _schema(CLASS)
    result["webhooks"] = {
        kind.value: {"post": _describe(kind, summary, more)}
        for kind, (summary, more) in EVENTS.items()
    }
    return result


def _describe(kind: WebhookKind, summary: str, more: Properties) -> dict[str, Any]:
    return {
        "operationId": f"on{kind.name.title().replace('_', '')}",
        "tags": [TAG],
        "summary": summary,
        "description": PROMISE,
        "security": [],
        "parameters": [
            {
                "name": name,
                "in": "header",
                "required": True,
                "description": description,
                "schema": {"type": "string"},
                "example": example,
            }
            for name, (description, example) in HEADERS.items()
        ],
        "requestBody": {
            "required": True,
            "content": {"application/json": _describe_body(kind, more)},
        },
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


def _describe_body(kind: WebhookKind, more: Properties) -> dict[str, Any]:
    status = STATUSES.get(kind, ClassStatus.SCHEDULED).value
    one_class = {"$ref": "#/components/schemas/WebhookClass"}, _example(CLASS) | {"status": status}
    data: Properties = {"class": one_class, **more}
    body: Properties = {
        "id": (ID, EVENT_ID),
        "type": ({"type": "string", "enum": [kind.value]}, kind.value),
        "createdAt": (INSTANT, "2030-01-05T15:00:00-03:00"),
        "data": (_schema(data), _example(data)),
    }
    return {"schema": _schema(body), "example": _example(body)}


def _schema(properties: Properties) -> dict[str, Any]:
    return object_of({name: shape for name, (shape, _) in properties.items()})


def _example(properties: Properties) -> dict[str, Any]:
    return {name: value for name, (_, value) in properties.items()}
