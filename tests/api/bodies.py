"""Bodies for the API's tests, whole or with one field changed, and how to send them."""

import itertools
import json
from typing import Any

from django.http import HttpResponse
from django.test import Client

JSON = "application/json"
_numbers = itertools.count(1)


def booking_body(**changes: Any) -> dict[str, Any]:
    """Give a valid body of POST /api/booking, with a preference of its own."""
    body = {
        "start": "2030-01-05T15:00:00-03:00",
        "end": "2030-01-05T16:00:00-03:00",
        "isGroupClass": True,
        "studentsCount": 5,
        "text": "Travel",
        "price": 1_500_000,
        "preferenceId": f"booking-{next(_numbers)}",
    }
    return body | changes


def booking_text(field: str, value: str | None) -> str:
    """Give a valid body as JSON text, with one field's value replaced by JSON text, valid or not.

    value: None leaves the field out.
    """
    texts = {name: json.dumps(usual) for name, usual in booking_body().items()}
    texts[field] = value
    return "{" + ",".join(f'"{k}":{v}' for k, v in texts.items() if v is not None) + "}"


def post(client: Client, path: str, body: Any, content_type: str = JSON, **extra: Any) -> Any:
    """Send ``body``: text and bytes as they are, anything else as JSON."""
    raw = body if isinstance(body, str | bytes) else json.dumps(body)
    return client.generic("POST", path, raw, content_type=content_type, **extra)


def answer_of(response: HttpResponse) -> tuple[int, Any]:
    """Give the status and the parsed body of an answer, which has to be JSON."""
    assert response["Content-Type"] == JSON
    return response.status_code, json.loads(response.content)
