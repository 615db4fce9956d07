"""How an operation is called from a shell and from a page, made from its own example."""

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.conf import settings

FORM = "application/x-www-form-urlencoded"
SIGNED_IN = "-b cookies.txt"


@dataclass(frozen=True, slots=True)
class Call:
    """One request. path: with its query; body: a value for JSON or a form, None for neither."""

    method: str
    path: str
    media_type: str
    body: Any
    is_signed_in: bool
    gives_json: bool


def samples(method: str, path: str, operation: dict[str, Any]) -> list[dict[str, str]]:
    """Give the call in curl and in JavaScript, as ``x-codeSamples``."""
    call = example_call(method, path, operation)
    return [
        {"lang": "Shell", "label": "curl", "source": _curl(call)},
        {"lang": "JavaScript", "label": "fetch", "source": _fetch(call)},
    ]


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
        gives_json="application/json" in operation["responses"].get("200", {}).get("content", {}),
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
    return None


def _curl(call: Call) -> str:
    words = ["curl"]
    if call.is_signed_in or call.media_type == FORM:
        words.append(SIGNED_IN)
    words.append(_quoted(settings.BASE_URL + call.path))
    lines = [" ".join(words)]
    if call.media_type == FORM:
        lines += [f"--data-urlencode {_quoted(f'{k}={v}')}" for k, v in call.body.items()]
    elif call.body is not None:
        lines += [f"-H 'Content-Type: {call.media_type}'", f"-d {_quoted(_json(call.body))}"]
    elif call.method != "GET":
        lines.append(f"-X {call.method}")
    return " \\\n  ".join(lines)


def _fetch(call: Call) -> str:
    lines = [f'  method: "{call.method}",'] if call.method != "GET" else []
    if call.media_type == FORM:
        lines.append(f"  body: new URLSearchParams({_indented(call.body)}),")
    elif call.body is not None:
        lines += [
            f'  headers: {{ "Content-Type": "{call.media_type}" }},',
            f"  body: JSON.stringify({_indented(call.body)}),",
        ]
    options = ", {\n" + "\n".join(lines) + "\n}" if lines else ""
    said = ", await response.json()" if call.gives_json else ""
    return (
        f'const response = await fetch("{call.path}"{options});\n'
        f"console.log(response.status{said});"
    )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _indented(value: Any) -> str:
    return _json(value).replace("\n", "\n  ")


def _quoted(text: str) -> str:
    """Quote for a shell; the examples hold no quote of this kind, and one would be doubled out."""
    return "'" + text.replace("'", "'\\''") + "'"
