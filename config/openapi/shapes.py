"""A JSON Schema as the rows of a table: what there is, of which type, and whether it must be."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from config.openapi.prose import line

Schema = dict[str, Any]
WORDS = {"date-time": "date-time", "uuid": "UUID", "email": "e-mail address", "uri": "address"}


@dataclass(frozen=True, slots=True)
class Row:
    """One value. name: with dots for what is inside of something; empty for the body itself."""

    name: str
    kind: str
    is_required: bool
    note: SafeString


def resolve(document: Schema, value: Schema) -> Schema:
    """Put in what a reference inside the document points at."""
    while "$ref" in value:
        _, *names = value["$ref"].split("/")
        value = document
        for name in names:
            value = value[name]
    return value


def shapes(document: Schema, schema: Schema) -> list[list[Row]]:
    """List what a body may look like: a table for each alternative."""
    schema = resolve(document, schema)
    return [list(rows(document, one)) for one in schema.get("anyOf", [schema])]


def rows(
    document: Schema, schema: Schema, name: str = "", *, is_required: bool = True
) -> Iterator[Row]:
    """Give a schema's rows, an object's own first and then what is inside."""
    schema = resolve(document, schema)
    properties = schema.get("properties", {})
    if name or not properties:
        note = line(schema.get("description", ""))
        yield Row(name, kind_of(document, schema), is_required, note)
    prefix = f"{name}." if name else ""
    for key, inner in properties.items():
        must = key in schema.get("required", [])
        yield from rows(document, inner, prefix + key, is_required=must)
    if schema.get("type") == "array":
        yield from _inside(document, schema["items"], f"{name}[]")
    if isinstance(others := schema.get("additionalProperties"), dict) and others:
        yield from _inside(document, others, f"{prefix}*")


def kind_of(document: Schema, schema: Schema) -> str:
    """Say a type in words: ``whole number, 0 to 100``."""
    schema = resolve(document, schema)
    if "enum" in schema:
        return " | ".join(f'"{value}"' for value in schema["enum"])
    kinds = schema.get("type", "anything")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    told = schema.get("title") or WORDS.get(schema.get("format", ""))
    return " or ".join(str(told or kind) for kind in kinds) + _bounds(schema)


def _inside(document: Schema, schema: Schema, name: str) -> Iterator[Row]:
    found = list(rows(document, schema, name))
    yield from found[1:] if len(found) > 1 else found


def _bounds(schema: Schema) -> str:
    if "maximum" in schema:
        return f", {schema['minimum']:,} to {schema['maximum']:,}"
    if "maxLength" in schema:
        return f", {schema.get('minLength', 0)} to {schema['maxLength']:,} characters"
    if "minimum" in schema:
        return f", at least {schema['minimum']}"
    return ", empty" if schema.get("maxProperties") == 0 else ""
