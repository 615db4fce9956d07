"""Words for describing the API."""

from datetime import timedelta
from string import Formatter
from typing import Any

from django.conf import settings
from django.utils.functional import lazy
from django_stubs_ext import StrOrPromise
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse

ERROR = {"$ref": "#/components/schemas/Error"}


class SessionScheme(OpenApiAuthenticationExtension):
    target_class = "accounts.api.authentication.CookieSessionAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": settings.SESSION_COOKIE_NAME,
            "description": (
                "What signing in sets: `HttpOnly`, `SameSite=Lax`, for "
                f"{say_duration(timedelta(seconds=settings.SESSION_COOKIE_AGE))}, renewed by use. "
                "Over https the name begins with `__Host-`."
            ),
        }


def refusal(description: str, *texts: StrOrPromise) -> OpenApiResponse:
    """Describe ``{"error": text}``."""
    examples = [OpenApiExample(f"text {n}", {"error": text}) for n, text in enumerate(texts, 1)]
    return OpenApiResponse(ERROR, description=description, examples=examples)


def coded_refusal(description: str, *kinds: Any, without_code: str = "") -> OpenApiResponse:
    """Describe ``{"error": text, "code": code}`` of exceptions.

    without_code: a text that may come instead.
    """
    codes = {"type": "string", "enum": sorted({kind.code for kind in kinds})}
    properties = {"error": {"type": "string"}, "code": codes}
    shape = object_of(properties, optional=("code",) if without_code else ())
    examples = [OpenApiExample(one.code, {"error": one.text, "code": one.code}) for one in kinds]
    if without_code:
        examples.append(OpenApiExample("another reason", {"error": without_code}))
    return OpenApiResponse(shape, description=description, examples=examples)


def answer(shape: Any, description: str, *values: Any) -> OpenApiResponse:
    examples = [OpenApiExample(f"example {n}", value) for n, value in enumerate(values, 1)]
    return OpenApiResponse(shape, description=description, examples=examples)


def header(name: str, description: str, kind: Any = str, **options: Any) -> OpenApiParameter:
    """With ``response``, describe a header of responses."""
    return OpenApiParameter(name, kind, OpenApiParameter.HEADER, description=description, **options)


def retry_after(*statuses: int) -> OpenApiParameter:
    """statuses: by default 429."""
    seconds = {"type": "integer", "minimum": 1}
    text = "Seconds after which it may be tried again."
    return header("Retry-After", text, seconds, required=True, response=list(statuses) or [429])


def object_of(properties: dict[str, Any], *, optional: tuple[str, ...] = ()) -> dict[str, Any]:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "required": required, "properties": properties}


class _SettingsFormatter(Formatter):
    def get_value(self, key: int | str, args: Any, kwargs: Any) -> Any:
        return getattr(settings, str(key))

    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec == "bytes":
            return say_bytes(value)
        return say_duration(value) if isinstance(value, timedelta) else format(value, format_spec)


def from_settings(template: str) -> str:
    """Fill in ``{NAME}``, ``{NAME:,}`` and ``{NAME:bytes}`` when the document is made."""
    return lazy(_SettingsFormatter().format, str)(template)


def say_duration(duration: timedelta) -> str:
    """Return ``90 days``."""
    seconds = int(duration.total_seconds())
    units = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))
    size, name = next(unit for unit in units if seconds % unit[0] == 0)
    return f"{seconds // size} {name}{'' if seconds == size else 's'}"


def say_bytes(number: int) -> str:
    """Return ``64 KiB``."""
    return f"{number:,} bytes" if number % 1024 else f"{number // 1024:,} KiB"
