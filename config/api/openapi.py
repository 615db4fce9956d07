"""The OpenAPI document.

drf-spectacular derives shapes from the serializers, and errors come from the views' ``refusals``.
The file ``openapi.yaml`` beside a view's module has the rest by operation: ``summary`` and
``description``, the description of each status, ``query``, ``headers`` and ``parameters``, the
``body`` of an example, ``examples`` and ``schemas`` of answers by status, and the ``location`` of
a redirect.
"""

import hashlib
import json
import sys
from collections import defaultdict
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, cast

import yaml
from django.conf import settings
from django.utils import translation
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from rest_framework.permissions import SAFE_METHODS, IsAuthenticated

from config.api.exceptions import error_body
from config.lib.api import (
    BODY_TOO_LARGE,
    FOREIGN_ORIGIN,
    SIGN_IN_FIRST,
    WRONG_METHOD,
    WRONG_TYPE,
    Refusal,
    find_refusal,
    with_subclasses,
)
from config.web.errors import BAD_REQUEST, OVERLOADED, SERVER_ERROR

JSON, FORM = "application/json", "application/x-www-form-urlencoded"
ERROR = {"$ref": "#/components/schemas/Error"}
SCHEMAS: dict[str, Any] = {
    "Error": {
        "type": "object",
        "description": "Why it was refused. `error` is for people, in the language of the service.",
        "required": ["error"],
        "properties": {"error": {"type": "string"}},
    },
}
TEXTS = {
    "BadRequest": BAD_REQUEST,
    "Unauthenticated": SIGN_IN_FIRST,
    "ForeignOrigin": FOREIGN_ORIGIN,
    "MethodNotAllowed": WRONG_METHOD,
    "BodyTooLarge": BODY_TOO_LARGE,
    "WrongType": WRONG_TYPE,
    "ServerError": SERVER_ERROR,
    "Overloaded": OVERLOADED,
}
# What an error before any view may be.
BEFORE_ANY_VIEW = {"400", "403", "500"}


def _header(description: str) -> dict[str, Any]:
    return {"description": description, "required": True, "schema": {"type": "string"}}


WAIT = {"type": "integer", "minimum": 1}
MAY_BE_RETRIED = {"description": "Seconds after which it may be tried again.", "schema": WAIT}
RETRY_AFTER = MAY_BE_RETRIED | {"required": True}
HEADERS = {
    "Unauthenticated": {"WWW-Authenticate": _header("What is missing: a session.")},
    "MethodNotAllowed": {"Allow": _header("The methods that there are.")},
    "Overloaded": {"Retry-After": RETRY_AFTER},
}


def read_texts(module: str) -> dict[Any, Any]:
    """Return the texts beside a module."""
    file = Path(str(sys.modules[module].__file__)).with_name("openapi.yaml")
    return cast(dict[Any, Any], yaml.safe_load(file.read_text(encoding="utf-8")))


@dataclass(frozen=True)
class Document:
    """Its content must not be changed."""

    content: dict[str, Any]

    @cached_property
    def body(self) -> bytes:
        return json.dumps(self.content, ensure_ascii=False).encode()

    @cached_property
    def etag(self) -> str:
        return f'"{hashlib.sha256(self.body).hexdigest()[:32]}"'


@cache
def get_document() -> Document:
    return Document(generate())


def generate() -> dict[str, Any]:
    with translation.override(settings.LANGUAGE_CODE):
        return cast(dict[str, Any], SchemaGenerator().get_schema(request=None, public=True))


def add_common_parts(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Add introduction, tags and common answers; a postprocessing hook of drf-spectacular."""
    texts, components = read_texts(__name__), result["components"]
    result["info"]["description"] = texts["info"]
    result["tags"] = [{"name": name, "description": text} for name, text in texts["tags"].items()]
    components["schemas"] = dict(sorted({**components["schemas"], **SCHEMAS}.items()))
    components["responses"] = {
        name: {"description": description, **_common_answer(name)}
        for name, description in texts["responses"].items()
    }
    return result


def _common_answer(name: str) -> dict[str, Any]:
    answer: dict[str, Any] = {"headers": HEADERS[name]} if name in HEADERS else {}
    if name == "Page":
        return answer | {"content": {"text/html": {"schema": {"type": "string"}}}}
    if name in TEXTS:
        example = {"error": TEXTS[name]}
        answer["content"] = {JSON: {"schema": ERROR, "example": example}}
    return answer


class ApiSchema(AutoSchema):
    """A view with errors of another shape has ``error_serializer`` or ``coded_serializer``."""

    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        operation: dict[str, Any] = super().get_operation(*args, **kwargs) or {}
        room = read_texts(type(self.view).__module__)
        operation["operationId"] = operation["operationId"].format(view=self.view)
        texts = room[operation["operationId"]]
        operation["tags"] = [texts["tag"] if "tag" in texts else room["shared"]["tag"]]
        operation |= {key: texts[key] for key in ("summary", "description") if key in texts}
        _add_parameters(operation, texts)
        content = operation.get("requestBody", {"content": {}})["content"]
        for media in content.values():
            if "body" in texts:
                media["examples"] = {"example1": {"value": texts["body"]}}
        if JSON in content and isinstance(self.get_request_serializer(), dict):
            operation["requestBody"]["required"] = True  # of serializers the library knows it
        operation["responses"] = self._answers(content, operation["responses"], texts)
        return operation

    def map_parsers(self) -> list[str]:
        return [JSON]  # the parser reads it under any content type

    def _answers(
        self, content: dict[str, Any], known: dict[str, Any], texts: dict[Any, Any]
    ) -> dict[str, Any]:
        answers = self._common_answers(content)
        answers |= known | self._errors()
        for status, answer in answers.items():
            if "$ref" not in answer:
                default = "Go on there." if status == "302" else answer.get("description", "")
                answer["description"] = texts.get(int(status), default)
            for media in answer.get("content", {}).values():
                _complete(media, texts, int(status))
        if "location" in texts:
            answers["302"]["headers"] = {"Location": _header(texts["location"])}
        if self.path.startswith("/api/"):
            self._add_lack_of_connections(answers)
        return dict(sorted(answers.items()))

    def _errors(self) -> dict[str, Any]:
        """Describe the errors of the view's ``refusals`` and the handler's other texts."""
        handler: Any = getattr(self.view, self.method.lower())
        refusals: dict[type[Exception], Refusal] = getattr(self.view, "refusals", {})
        answered = {
            kind: find_refusal(refusals, kind) or Refusal(500)
            for kind in getattr(handler, "api_errors", ()) or with_subclasses(refusals)
        }
        found: dict[int, list[tuple[str, str]]] = defaultdict(list)
        waits = {429}
        for kind, refusal in answered.items():
            code = getattr(kind, "code", "") if refusal.has_code else ""
            found[refusal.status].append((str(refusal.text or getattr(kind, "text", "")), code))
            waits |= {refusal.status} if refusal.retry_after else set()
        for status, more in getattr(handler, "api_texts", {}).items():
            found[status] += [(str(text), "") for text in more]
        if server_error := getattr(self.view, "server_error", ""):
            found[500].append((str(server_error), ""))
        if 403 in found and self._reads_session and self.method not in SAFE_METHODS:
            found[403].append((FOREIGN_ORIGIN, ""))
        return {
            str(status): self._refusal(status, [*dict.fromkeys(reasons)])
            | ({"headers": {"Retry-After": RETRY_AFTER}} if status in waits else {})
            for status, reasons in found.items()
        }

    def _refusal(self, status: int, reasons: list[tuple[str, str]]) -> dict[str, Any]:
        examples = {}
        for number, (text, code) in enumerate(reasons, 1):
            body = self._coded(text, code) if code else self._plain(status, text)
            examples[code or f"text{number}"] = {"value": body}
        codes = sorted({code for _, code in reasons if code})
        schema = self._error_schema(str(status))
        if codes and hasattr(self.view, "coded_serializer"):
            coded = self.resolve_serializer(self.view.coded_serializer, "response").ref
            schema = {"anyOf": [coded, ERROR]} if len(codes) < len(examples) else coded
        elif codes:
            schema = {
                "type": "object",
                "required": ["error"] if len(codes) < len(examples) else ["error", "code"],
                "properties": {
                    "error": {"type": "string"},
                    "code": {"type": "string", "enum": codes},
                },
            }
        media = {"schema": schema} | ({"examples": examples} if examples else {})
        return {"content": {JSON: media}}

    def _plain(self, status: int, text: str) -> dict[str, Any]:
        shape = getattr(self.view, "error_body", error_body)
        return cast(dict[str, Any], shape(status, text))

    def _coded(self, text: str, code: str) -> dict[str, Any]:
        reason = {"error": text, "code": code}
        return cast(dict[str, Any], getattr(self.view, "coded_body", dict)(reason))

    def _error_schema(self, status: str) -> dict[str, Any]:
        serializer = getattr(self.view, "error_serializer", None)
        if serializer is None:
            return ERROR
        own = self.resolve_serializer(serializer, "response").ref
        return {"anyOf": [own, ERROR]} if status in BEFORE_ANY_VIEW else own

    @property
    def _reads_session(self) -> bool:
        return IsAuthenticated in self.view.permission_classes

    def _common_answers(self, body: dict[str, Any]) -> dict[str, dict[str, Any]]:
        if not self.path.startswith("/api/"):
            return {
                "400": _refer("Page"),
                "405": _refer("MethodNotAllowed"),
                "500": _refer("ServerError"),
            }
        names = {"400": "BadRequest", "405": "MethodNotAllowed", "500": "ServerError"}
        if self._reads_session:
            names["401"] = "Unauthenticated"
            if self.method not in SAFE_METHODS:
                names["403"] = "ForeignOrigin"
        if JSON in body:
            names |= {"413": "BodyTooLarge", "415": "WrongType"}
        if FORM in body:
            names["413"] = "BodyTooLarge"
        if not hasattr(self.view, "error_serializer"):
            return {status: _refer(name) for status, name in names.items()}
        return {status: self._own_shape(status, name) for status, name in names.items()}

    def _own_shape(self, status: str, name: str) -> dict[str, Any]:
        headers = {"headers": HEADERS[name]} if name in HEADERS else {}
        description = read_texts(__name__)["responses"][name]
        refusal = self._refusal(int(status), [(TEXTS[name], "")])
        return refusal | headers | {"description": description}

    def _add_lack_of_connections(self, answers: dict[str, Any]) -> None:
        """As ``config.api.exceptions``: a documented 500 stays a 500."""
        if answers["500"] == _refer("ServerError"):
            answers.setdefault("503", _refer("Overloaded"))
        else:
            answers["500"]["headers"] = {"Retry-After": MAY_BE_RETRIED}


class SessionScheme(OpenApiAuthenticationExtension):
    target_class = "accounts.api.authentication.CookieSessionAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": settings.SESSION_COOKIE_NAME,
            "description": (
                "What signing in sets: `HttpOnly`, `SameSite=Lax`, for 30 days, renewed by use. "
                "Over https the name begins with `__Host-`."
            ),
        }


def _refer(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/responses/{name}"}


def _add_parameters(operation: dict[str, Any], texts: dict[Any, Any]) -> None:
    """Add parameters, and complete those that the library knows."""
    known = {(one["in"], one["name"]): one for one in operation.get("parameters", [])}
    for place, key in (("header", "headers"), ("query", "query")):
        for name, description in texts.get(key, {}).items():
            schema = {"type": "string"}
            known[place, name] = {
                "in": place,
                "name": name,
                "schema": schema,
                "description": description,
            }
    for one in texts.get("parameters", []):
        known[one["in"], one["name"]] = known.get((one["in"], one["name"]), {}) | one
    if known:
        operation["parameters"] = [*known.values()]


def _complete(media: dict[str, Any], texts: dict[Any, Any], status: int) -> None:
    if schema := texts.get("schemas", {}).get(status):
        media["schema"] = schema
    values = texts.get("examples", {}).get(status, [])
    if values:
        media["examples"] = {
            f"example{number}": {"value": value} for number, value in enumerate(values, 1)
        }
