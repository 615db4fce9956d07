"""What the page about the API shows, taken from the document."""

import json
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from django.utils.safestring import SafeString

from config.openapi.prose import line, paragraphs
from config.openapi.shapes import Row, Schema, kind_of, resolve, shapes

FORMS = {"application/x-www-form-urlencoded": "form", "text/html": "page", "*/*": "anything"}


@dataclass(frozen=True, slots=True)
class Body:
    """A body that is sent or answered. kind: JSON, or what else it is."""

    kind: str
    shapes: list[list[Row]]
    examples: list[str]


@dataclass(frozen=True, slots=True)
class Answer:
    """One status. headers: rows as of a body."""

    status: str
    reason: str
    description: SafeString
    headers: list[Row]
    bodies: list[Body]

    @property
    def is_error(self) -> bool:
        """Whether it refuses or failed."""
        return self.status >= "400"


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one path. common: names of answers that any operation may give."""

    name: str
    method: str
    path: str
    summary: str
    description: SafeString
    needs_session: bool
    is_deprecated: bool
    parameters: list[tuple[str, Row]]
    bodies: list[Body]
    samples: list[dict[str, str]]
    answers: list[Answer]
    common: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Group:
    """The operations of one tag."""

    name: str
    anchor: str
    description: SafeString
    operations: list[Operation]


@dataclass(frozen=True, slots=True)
class Page:
    """The whole page."""

    version: str
    introduction: SafeString
    groups: list[Group]
    common: list[tuple[str, Answer]]


def build_page(document: Schema) -> Page:
    """Arrange the document for reading."""
    items = {**document["paths"], **document.get("webhooks", {})}
    operations = [
        (operation, _operation(document, path, method, operation))
        for path, item in items.items()
        for method, operation in item.items()
    ]
    tags = {tag["name"]: tag["description"] for tag in document["tags"]}
    for raw, _ in operations:
        tags.setdefault(raw["tags"][0], "")
    groups = [
        Group(
            name=name,
            anchor=name.lower().replace(" ", "-"),
            description=line(description),
            operations=[shown for raw, shown in operations if name in raw["tags"]],
        )
        for name, description in tags.items()
    ]
    return Page(
        version=document["info"]["version"],
        introduction=paragraphs(document["info"]["description"]),
        groups=[group for group in groups if group.operations],
        common=[
            (name, _answer(document, "", raw))
            for name, raw in document["components"]["responses"].items()
        ],
    )


def _operation(document: Schema, path: str, method: str, raw: Schema) -> Operation:
    own = {status: one for status, one in raw["responses"].items() if "$ref" not in one}
    return Operation(
        name=raw.get("operationId", path),
        method=method.upper(),
        path=path,
        summary=raw.get("summary", path),
        description=paragraphs(raw.get("description", "")),
        needs_session=bool(raw.get("security")),
        is_deprecated=raw.get("deprecated", False),
        parameters=[(one["in"], _parameter(document, one)) for one in raw.get("parameters", [])],
        bodies=_bodies(document, raw.get("requestBody", {})),
        samples=raw.get("x-codeSamples", []),
        answers=[_answer(document, status, one) for status, one in own.items()],
        common=[
            (status, one["$ref"].rpartition("/")[2])
            for status, one in raw["responses"].items()
            if status not in own
        ],
    )


def _parameter(document: Schema, raw: Schema, name: str = "") -> Row:
    kind = kind_of(document, raw.get("schema", {}))
    note = line(raw.get("description", ""))
    return Row(raw.get("name", name), kind, raw.get("required", False), note)


def _answer(document: Schema, status: str, raw: Schema) -> Answer:
    headers = resolve(document, raw).get("headers", {})
    return Answer(
        status=status,
        # Besides a number it may be ``2XX`` or ``default``.
        reason=HTTPStatus(int(status)).phrase if status.isdecimal() else "",
        description=line(raw["description"]),
        headers=[_parameter(document, one, name) for name, one in headers.items()],
        bodies=_bodies(document, raw),
    )


def _bodies(document: Schema, raw: Schema) -> list[Body]:
    return [
        Body(
            kind=FORMS.get(media_type, "JSON"),
            shapes=shapes(document, media["schema"]),
            examples=[_shown(value) for value in _examples(media)],
        )
        for media_type, media in raw.get("content", {}).items()
    ]


def _examples(media: Schema) -> list[Any]:
    named = [example["value"] for example in media.get("examples", {}).values()]
    return named + ([media["example"]] if "example" in media else [])


def _shown(value: Any) -> str:
    short = json.dumps(value, ensure_ascii=False)
    return short if len(short) <= 60 else json.dumps(value, ensure_ascii=False, indent=2)
