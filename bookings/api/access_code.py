"""POST /api/access-code."""

from typing import cast

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from bookings.api.serializers import JoinedSerializer
from bookings.domain.exceptions import (
    AlreadyJoinedError,
    BookingError,
    ClassEndedError,
    ClassFullError,
    ClassNotFoundError,
    OwnClassError,
    TooManyAttemptsError,
)
from bookings.domain.places.joining import join_class
from config.lib.addresses import client_address
from config.lib.api import JSONCharField, Refusal, operation, with_subclasses

NO_CODE = "El cuerpo tiene que ser un texto JSON con el código de acceso."
JOINING_FAILED = "No pudimos procesar el código de acceso."
REFUSALS: dict[type[BookingError], Refusal] = {
    TooManyAttemptsError: Refusal(429),
    ClassNotFoundError: Refusal(404, has_code=True),
    OwnClassError: Refusal(403, has_code=True),
    ClassEndedError: Refusal(410, has_code=True),
    ClassFullError: Refusal(409, has_code=True),
    AlreadyJoinedError: Refusal(409, has_code=True),
}
ACCESS_CODE = {
    "type": "string",
    "description": "Eight digits and capitals; case, spaces and dashes do not matter.",
}

CODES = [kind.code for kind, answered in with_subclasses(REFUSALS).items() if answered.has_code]

_code = JSONCharField(allow_blank=True, error_messages={"invalid": NO_CODE, "null": NO_CODE})
# Kept, because each new serializer copies its fields: a twentieth of a join.
_joined = JoinedSerializer()


class JoinRefusalReasonSerializer(serializers.Serializer[None]):
    """``error`` for people, ``code`` for programs."""

    error = serializers.CharField()
    code = serializers.ChoiceField(choices=CODES)


class JoinRefusalSerializer(serializers.Serializer[None]):
    response = JoinRefusalReasonSerializer()


class AccessCodeView(APIView):
    """Spec: POST /api/access-code."""

    server_error = JOINING_FAILED
    refusals = REFUSALS
    coded_serializer = JoinRefusalSerializer

    def coded_body(self, reason: dict[str, str]) -> dict[str, dict[str, str]]:
        return {"response": reason}

    @operation(
        "joinClass",
        request={"application/json": ACCESS_CODE},
        responses={200: JoinedSerializer},
        texts={400: [NO_CODE]},
    )
    def post(self, request: Request) -> Response:
        access_code = _code.run_validation(request.data)
        virtual_class = join_class(
            user=cast(User, request.user), access_code=access_code, address=client_address(request)
        )
        return Response(_joined.to_representation({"response": virtual_class}))
