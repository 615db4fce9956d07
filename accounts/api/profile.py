"""Views of ``/api/user-data``."""

from typing import cast

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.serializers import ProfileSerializer, SavedProfileSerializer, UserSerializer
from accounts.models import User
from accounts.services import save_profile
from config.lib.api.schema import answer, refusal
from config.lib.api.texts import NO_JSON, PROFILE_FAILED, PROFILE_RECEIVED

# One for all requests: making a serializer copies each of its fields.
_profile, _person = ProfileSerializer(), UserSerializer()
TAGS = ["Profile"]
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
FAILED = refusal("They could not be read or saved.", PROFILE_FAILED)


class UserDataView(APIView):
    """Spec: GET /api/user-data; POST /api/user-data."""

    server_error = PROFILE_FAILED

    @extend_schema(
        operation_id="getUserData",
        tags=TAGS,
        summary="Read the profile settings",
        description=(
            "The four settings of the signed-in person; `level` is empty until it is chosen."
        ),
        responses={200: answer(ProfileSerializer, "The settings.", PROFILE), 500: FAILED},
    )
    def get(self, request: Request) -> Response:
        return Response(_profile.to_representation(cast(User, request.user)))

    @extend_schema(
        operation_id="saveUserData",
        tags=TAGS,
        summary="Save the profile settings",
        description=(
            "Replaces all four settings and gives back the whole person. `level` may be empty: "
            "what GET gives can be sent back. Other keys are ignored, white space around texts "
            "is taken off."
        ),
        request=ProfileSerializer,
        examples=[OpenApiExample("settings", PROFILE, request_only=True)],
        responses={
            200: answer(
                SavedProfileSerializer,
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
    def post(self, request: Request) -> Response:
        settings = _profile.run_validation(request.data)
        user = save_profile(user=cast(User, request.user), **settings)
        return Response({"message": PROFILE_RECEIVED, "user": _person.to_representation(user)})
