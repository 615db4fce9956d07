"""POST /api/access-code."""

from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiRequest,
    OpenApiResponse,
    extend_schema,
    inline_serializer,
)
from rest_framework import serializers
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

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
from config.lib.api.schema import ERROR, answer, refusal, retry_after
from config.lib.api.texts import FOREIGN_ORIGIN
from config.lib.api.views import Refusal, with_subclasses

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
ANSWERED = with_subclasses(REFUSALS)
CODES = [kind.code for kind, answered in ANSWERED.items() if answered.has_code]
ACCESS_CODE = {
    "type": "string",
    "description": "Eight digits and capitals; case, spaces and dashes do not matter.",
}
JOINED = {
    "id": "0b8f9c1e-52a3-4b7e-9d0c-3f1f5a7f2a10",
    "bookedById": "7d1f6f0e-4f0b-4d3c-9a56-0a5a3f0f1c11",
    "htmlLink": "https://meet.google.com/abc-defg-hij",
    "startTime": "2030-01-05T15:00:00-03:00",
    "endTime": "2030-01-05T16:00:00-03:00",
    "classType": "grupal",
    "currentParticipants": 3,
    "maxParticipants": 4,
}

# Kept, because each new serializer copies its fields: a twentieth of a join.
_joined = JoinedSerializer()


class JoinRefusalSerializer(serializers.Serializer[None]):
    """``error`` for people, ``code`` for programs."""

    response = inline_serializer(
        "JoinRefusalReason",
        {"error": serializers.CharField(), "code": serializers.ChoiceField(choices=CODES)},
    )


def _examples(status: int) -> list[OpenApiExample]:
    return [
        OpenApiExample(kind.code, {"response": {"error": kind.text, "code": kind.code}})
        for kind, answered in ANSWERED.items()
        if answered.status == status
    ]


def _refusal(status: int, description: str) -> OpenApiResponse:
    return OpenApiResponse(
        JoinRefusalSerializer, description=description, examples=_examples(status)
    )


class AccessCodeView(APIView):
    """Spec: POST /api/access-code."""

    server_error = JOINING_FAILED
    refusals = REFUSALS

    def coded_body(self, reason: dict[str, str]) -> dict[str, dict[str, str]]:
        return {"response": reason}

    @extend_schema(
        operation_id="joinClass",
        tags=["Classes"],
        summary="Join a class by its access code",
        description=(
            "Gives the signed-in person a place. The body is a JSON string, not an object. The "
            "checks are made in the order 404, 403, 410, 409 `class_full`, "
            "`place_held` or `place_offered`, 409 "
            "`already_joined`. A place that is offered to a person on the waiting list is free for "
            "that person only: other people get `place_offered`."
        ),
        request={
            "application/json": OpenApiRequest(
                ACCESS_CODE, examples=[OpenApiExample("a code", "7K2M9QXA")]
            )
        },
        parameters=[retry_after()],
        responses={
            200: answer(
                JoinedSerializer,
                "The person has a place; `currentParticipants` counts them.",
                {"response": JOINED},
            ),
            400: refusal("The body is no JSON string.", NO_CODE),
            403: OpenApiResponse(
                {"anyOf": [{"$ref": "#/components/schemas/JoinRefusal"}, ERROR]},
                description="The class is the person's own; or a page of another site sent it.",
                examples=[
                    *_examples(403),
                    OpenApiExample("another site", {"error": FOREIGN_ORIGIN}),
                ],
            ),
            404: _refusal(
                404,
                "No class that can be joined has this code. That of a class which is pending or "
                "cancelled, or whose money went back, opens nothing.",
            ),
            409: _refusal(409, "Every place is taken or offered to others, or the person has one."),
            410: _refusal(410, "The class is over."),
            429: refusal(
                "The person typed too many wrong codes; a right one is refused as well.",
                TooManyAttemptsError.text,
            ),
            500: refusal("It could not be stored.", JOINING_FAILED),
        },
    )
    def post(self, request: Request) -> Response:
        access_code = request.data
        if not isinstance(access_code, str):
            raise ParseError(NO_CODE)
        virtual_class = join_class(
            user=request.user, access_code=access_code, address=client_address(request)
        )
        return Response(_joined.to_representation({"response": virtual_class}))
