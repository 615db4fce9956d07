"""The description of /api/user-data."""

from drf_spectacular.utils import OpenApiExample, extend_schema, inline_serializer
from rest_framework import serializers

from accounts.api.serializers import ProfileSerializer, UserSerializer
from config.lib.api_schema import answer, refusal
from config.lib.api_texts import NO_JSON, PROFILE_FAILED, PROFILE_RECEIVED

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


FAILED = refusal("They could not be read or saved.", PROFILE_FAILED)
describe_profile = extend_schema(
    operation_id="getUserData",
    tags=TAGS,
    summary="Read the profile settings",
    description="The four settings of the signed-in person; `level` is empty until it is chosen.",
    responses={200: answer(ProfileSerializer, "The settings.", PROFILE), 500: FAILED},
)
describe_saving_profile = extend_schema(
    operation_id="saveUserData",
    tags=TAGS,
    summary="Save the profile settings",
    description=(
        "Replaces all four settings and gives back the whole person. `level` may be empty: what "
        "GET gives can be sent back. Other keys are ignored, white space around texts is taken off."
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
            {"message": PROFILE_RECEIVED, "user": PERSON},
        ),
        400: refusal(
            "A setting is missing or cannot be so.",
            'level: "experto" no es una elección válida.',
            NO_JSON,
        ),
        500: FAILED,
    },
)
