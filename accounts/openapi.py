"""How the API is described: the session cookie, refusals, and /api/user-data."""

from typing import Any

from django.conf import settings
from django_stubs_ext import StrOrPromise
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    inline_serializer,
)
from rest_framework import serializers

from accounts.models import Level
from accounts.serializers import ProfileSerializer, UserSerializer

ERROR = {"$ref": "#/components/schemas/Error"}
PROFILE = {
    "location": "Rosario",
    "level": "basico",
    "phone": "+54 341 555 0199",
    "newsletter": "si",
}
PERSON = {
    "id": "7d1f6f0e-4f0b-4d3c-9a56-0a5a3f0f1c11",
    "email": "diego@demo.example",
    "name": "Diego Díaz",
    **PROFILE,
    "totalClasses": 3,
    "status": "active",
    "createdAt": "2029-12-01T10:00:00-03:00",
    "updatedAt": "2030-01-05T15:00:00-03:00",
}
TAGS = ["Profile"]


class SessionScheme(OpenApiAuthenticationExtension):
    """Names the cookie that carries the session."""

    target_class = "accounts.authentication.CookieSessionAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:
        """Describe it; over https its name begins with ``__Host-``."""
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": settings.SESSION_COOKIE_NAME,
            "description": (
                "What signing in sets: `HttpOnly`, `SameSite=Lax`, for 30 days, renewed by use. "
                "Over https the name begins with `__Host-`."
            ),
        }


def refusal(description: str, *texts: StrOrPromise) -> OpenApiResponse:
    """Describe ``{"error": text}``, with the texts that it may hold."""
    examples = [OpenApiExample(f"text {n}", {"error": text}) for n, text in enumerate(texts, 1)]
    return OpenApiResponse(ERROR, description=description, examples=examples)


def answer(shape: Any, description: str, *values: Any) -> OpenApiResponse:
    """Describe what an operation gives, with examples of it."""
    examples = [OpenApiExample(f"example {n}", value) for n, value in enumerate(values, 1)]
    return OpenApiResponse(shape, description=description, examples=examples)


def retry_after(status: int = 429) -> OpenApiParameter:
    """Describe the header of a refusal that passes by waiting."""
    return OpenApiParameter(
        "Retry-After",
        {"type": "integer", "minimum": 1},
        OpenApiParameter.HEADER,
        required=True,
        response=[status],
        description="Seconds after which it may be tried again.",
    )


class ShownProfileSerializer(ProfileSerializer):
    """The settings as GET gives them: nothing is chosen in the beginning."""

    level = serializers.ChoiceField(choices=Level.choices, allow_blank=True)


describe_profile = extend_schema(
    operation_id="getUserData",
    tags=TAGS,
    summary="Read the profile settings",
    description="The four settings of the signed-in person; `level` is empty until it is chosen.",
    responses={200: answer(ShownProfileSerializer, "The settings.", PROFILE)},
)
describe_saving_profile = extend_schema(
    operation_id="saveUserData",
    tags=TAGS,
    summary="Save the profile settings",
    description=(
        "Replaces all four settings and gives back the whole person. Other keys are ignored, "
        "white space around texts is taken off."
    ),
    request=ProfileSerializer,
    examples=[OpenApiExample("settings", PROFILE, request_only=True)],
    responses={
        200: answer(
            inline_serializer(
                "SavedProfile",
                {"message": serializers.CharField(), "user": UserSerializer()},
            ),
            "The settings are saved.",
            {"message": "Recibimos tus datos.", "user": PERSON},
        ),
        400: refusal(
            "A setting is missing or cannot be so.",
            'level: "experto" no es una elección válida.',
            "El cuerpo no es JSON válido.",
        ),
    },
)
