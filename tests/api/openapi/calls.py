"""The call that an operation's examples describe."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class Call:
    """One request. path: with its query; body: a value for JSON or a form, None for neither."""

    method: str
    path: str
    media_type: str
    body: Any
    is_signed_in: bool


def example_call(method: str, path: str, operation: dict[str, Any]) -> Call:
    """Fill an operation with the first example of everything it takes."""
    content = operation.get("requestBody", {"content": {"": {}}})["content"]
    media_type, media = next(iter(content.items()))
    return Call(
        method=method.upper(),
        path=_filled(path, operation.get("parameters", [])),
        media_type=media_type,
        body=_first_example(media),
        is_signed_in=bool(operation.get("security")),
    )


def _filled(path: str, parameters: list[dict[str, Any]]) -> str:
    """Put the examples of its parameters into an address; others are left out."""
    examples = {(one["in"], one["name"]): _first_example(one) for one in parameters}
    query = {}
    for (place, name), value in examples.items():
        if place == "path":
            path = path.replace(f"{{{name}}}", value)
        elif place == "query" and value is not None:
            query[name] = value
    return f"{path}?{urlencode(query)}" if query else path


def _first_example(described: dict[str, Any]) -> Any:
    for example in described.get("examples", {}).values():
        return example["value"]
    return described.get("example")
