"""The description of POST /api/booking."""

from django.conf import settings
from django_stubs_ext import StrOrPromise
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    inline_serializer,
)
from rest_framework import serializers

from bookings.api.fields import StrictIntegerField
from bookings.api.serializers import BookingSerializer
from bookings.api.texts import BOOKING_FAILED
from bookings.domain.exceptions import (
    PreferenceTakenError,
    PriceTooLowError,
    TooManyBookingsError,
)
from config.lib.api_schema import ERROR, answer, from_settings, retry_after, say_bytes, say_duration
from config.lib.api_texts import (
    BODY_TOO_LARGE,
    FOREIGN_ORIGIN,
    SIGN_IN_FIRST,
    WRONG_METHOD,
    WRONG_TYPE,
)

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
    description=from_settings(
        lambda: (
            "Books a class for the signed-in person. It is pending until its payment is "
            "confirmed.\n\n"
            "`start` and `end` are ISO 8601 date-times; without an offset they are meant in Buenos "
            "Aires. The class ends after it starts, after now, and within "
            f"{say_duration(settings.MAX_CLASS_LENGTH)}. Other keys are "
            "ignored; numbers and booleans in quotes are refused.\n\n"
            "A preference made by `POST /api/payments/preference` has to be booked as it was made, "
            "before or after it is paid.\n\n"
            "With payments configured, a price below the list's is refused, and a class that the "
            "list lacks waits until the teacher agrees to it."
        )
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
            f"price: {StrictIntegerField.default_error_messages['invalid']}",
            PreferenceTakenError.text,
            PriceTooLowError.text,
        ),
        401: _refusal(401, "Nobody is signed in.", SIGN_IN_FIRST),
        403: _refusal(403, "A page of another site sent it.", FOREIGN_ORIGIN),
        405: _refusal(405, "What any other method gets.", WRONG_METHOD),
        413: _refusal(
            413,
            from_settings(
                lambda: f"The body is over {say_bytes(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)}."
            ),
            BODY_TOO_LARGE,
        ),
        415: _refusal(
            415,
            "The body is a form or XML, or in another charset than UTF-8.",
            WRONG_TYPE,
        ),
        429: _refusal(
            429,
            from_settings(
                lambda: f"The person made {settings.MAX_BOOKINGS:,} bookings within the hour."
            ),
            TooManyBookingsError.text,
        ),
        500: _refusal(500, "The class could not be stored.", BOOKING_FAILED),
    },
)
