"""The webhooks we send, in the OpenAPI document. See docs/webhooks.md."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import yaml

from bookings.models import WebhookKind
from bookings.webhooks.attempts import DELAYS, GONE, MAX_ATTEMPTS

# Properties, each with its schema and an example.
Properties = dict[str, tuple[dict[str, Any], Any]]


def add_webhooks(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Add our webhooks; a postprocessing hook of drf-spectacular."""
    texts = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
    result["components"]["schemas"]["WebhookClass"] = _schema(texts["class"])
    result["webhooks"] = {
        kind: {"post": _describe(WebhookKind(kind), texts)} for kind in texts["events"]
    }
    return result


def _describe(kind: WebhookKind, texts: dict[str, Any]) -> dict[str, Any]:
    summary, status, more = texts["events"][kind.value]
    example = _example(texts["class"]) | {"status": status}
    data = {"class": ({"$ref": "#/components/schemas/WebhookClass"}, example), **more}
    body: Properties = {
        **texts["body"],
        "type": ({"type": "string", "enum": [kind.value]}, kind.value),
        "data": (_schema(data), _example(data)),
    }
    content = {"schema": _schema(body), "example": _example(body)}
    return {
        "operationId": f"on{kind.name.title().replace('_', '')}",
        "tags": ["Webhooks we send"],
        "summary": summary,
        "description": texts["description"],
        "security": [],
        "parameters": [
            {
                "name": name,
                "in": "header",
                "required": True,
                "description": description,
                "schema": {"type": "string"},
                "example": value,
            }
            for name, (description, value) in texts["headers"].items()
        ],
        "requestBody": {"required": True, "content": {"application/json": content}},
        "responses": _answers(),
    }


def _answers() -> dict[str, Any]:
    return {
        "2XX": {"description": "It was taken, within 15 seconds. The body is not looked at."},
        str(GONE): {"description": "Nothing more is wanted: the receiver is switched off."},
        "default": {
            "description": (
                f"It was not taken, and is tried again, up to {MAX_ATTEMPTS} times in "
                f"{sum(DELAYS, timedelta()).days} days. "
                "Redirects are not followed; `Retry-After` in seconds is heeded."
            )
        },
    }


def _schema(properties: Properties) -> dict[str, Any]:
    shapes = {name: shape for name, (shape, _) in properties.items()}
    return {"type": "object", "required": [*shapes], "properties": shapes}


def _example(properties: Properties) -> dict[str, Any]:
    return {name: value for name, (_, value) in properties.items()}
