"""The description of POST /api/booking."""

from django_stubs_ext import StrOrPromise
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    inline_serializer,
)
from rest_framework import serializers

from accounts.openapi import ERROR, answer, retry_after
from bookings.api.serializers import BookingSerializer
from bookings.domain.exceptions import PreferenceTakenError, TooManyBookingsError

WISH = {
    "start": "2030-01-05T15:00:00-03:00",
    "end": "2030-01-05T16:00:00-03:00",
    "isGroupClass": True,
    "studentsCount": 4,
    "text": "Travel",
    "price": 3600000,
    "preferenceId": "preference-1",
}


BEFORE_ANY_VIEW = (400, 403, 500)
EITHER = {"anyOf": [{"$ref": "#/components/schemas/BookingRefusal"}, ERROR]}


class BookingRefusalSerializer(serializers.Serializer[None]):
    """Both documented shapes at once: the endpoint's own, and ``error``."""

    success = serializers.BooleanField(help_text="Always false.")
    status = serializers.IntegerField(help_text="The status of the answer.")
    error = serializers.CharField()


def _refusal(status: int, description: str, *texts: StrOrPromise) -> OpenApiResponse:
    examples = [
        OpenApiExample(f"text {n}", {"success": False, "status": status, "error": text})
        for n, text in enumerate(texts, 1)
    ]
    # What is refused or fails before a view is found has no more than ``error``.
    shape = EITHER if status in BEFORE_ANY_VIEW else BookingRefusalSerializer
    return OpenApiResponse(shape, description=description, examples=examples)


describe_booking = extend_schema(
    operation_id="bookClass",
    tags=["Classes"],
    summary="Book a class",
    description=(
        "Books a class for the signed-in person. It is pending until its payment is confirmed.\n\n"
        "`start` and `end` are ISO 8601 date-times; without an offset they are meant in Buenos "
        "Aires. The class ends after it starts, after now, and within 8 hours. Other keys are "
        "ignored; numbers and booleans in quotes are refused.\n\n"
        "A preference made by `POST /api/payments/preference` has to be booked as it was made, "
        "before or after it is paid."
    ),
    request=BookingSerializer,
    parameters=[
        retry_after(),
        OpenApiParameter(
            "WWW-Authenticate",
            str,
            OpenApiParameter.HEADER,
            required=True,
            response=[401],
            description="What is missing: a session.",
        ),
        OpenApiParameter(
            "Allow",
            str,
            OpenApiParameter.HEADER,
            required=True,
            response=[405],
            description="The methods that there are.",
        ),
    ],
    examples=[OpenApiExample("a group", WISH, request_only=True)],
    responses={
        200: answer(
            inline_serializer(
                "Booked",
                {"success": serializers.BooleanField(), "status": serializers.IntegerField()},
            ),
            "The class is booked.",
            {"success": True, "status": 200},
        ),
        400: _refusal(
            400,
            "Something is missing, malformed or impossible; `{error}` alone: a foreign `Host`.",
            "start: Este campo es requerido.",
            "price: Tiene que ser un número entero.",
            PreferenceTakenError.text,
        ),
        401: _refusal(401, "Nobody is signed in.", "Ingresá para continuar."),
        403: _refusal(403, "A page of another site sent it.", "El pedido viene de otro sitio."),
        405: _refusal(405, "What any other method gets.", 'Método "PUT" no permitido.'),
        413: _refusal(413, "The body is over 64 KiB.", "El cuerpo es demasiado grande."),
        415: _refusal(
            415,
            "The body is a form or XML, or in another charset than UTF-8.",
            "Enviá el cuerpo como JSON en UTF-8.",
        ),
        429: _refusal(
            429,
            "The person has 20 bookings that are neither paid nor over.",
            TooManyBookingsError.text,
        ),
        500: _refusal(500, "The class could not be stored.", "No pudimos guardar la reserva."),
    },
)
