"""POST /api/booking."""

from typing import Any, cast

from django_stubs_ext import StrOrPromise
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from bookings.api.fields import StrictIntegerField
from bookings.api.serializers import BookedSerializer, BookingRefusalSerializer, BookingSerializer
from bookings.domain.exceptions import (
    BookingError,
    PreferenceTakenError,
    PriceTooLowError,
    TooManyBookingsError,
)
from bookings.domain.lifecycle.booking import BookingRequest, book_class
from config.lib.api.schema import ERROR, answer, from_settings, header, retry_after
from config.lib.api.texts import (
    BODY_TOO_LARGE,
    FOREIGN_ORIGIN,
    SIGN_IN_FIRST,
    WRONG_METHOD,
    WRONG_TYPE,
)
from config.lib.api.views import Refusal

BOOKING_FAILED = "No pudimos guardar la reserva."
BOOKING_EXAMPLE = {
    "start": "2030-01-05T15:00:00-03:00",
    "end": "2030-01-05T16:00:00-03:00",
    "isGroupClass": True,
    "studentsCount": 4,
    "text": "Travel",
    "price": 3600000,
    "preferenceId": "preference-1",
}
# An error before a view is found has ``error`` only.
BEFORE_ANY_VIEW = (400, 403, 500)
EITHER = {"anyOf": [{"$ref": "#/components/schemas/BookingRefusal"}, ERROR]}


def error_body(status_code: int, text: StrOrPromise) -> dict[str, Any]:
    """Return both documented shapes in one."""
    return {"success": False, "status": status_code, "error": text}


def _refusal(status: int, description: str, *texts: StrOrPromise) -> OpenApiResponse:
    examples = [
        OpenApiExample(f"text {n}", error_body(status, text)) for n, text in enumerate(texts, 1)
    ]
    shape = EITHER if status in BEFORE_ANY_VIEW else BookingRefusalSerializer
    return OpenApiResponse(shape, description=description, examples=examples)


class BookingView(APIView):
    """Spec: POST /api/booking."""

    server_error = BOOKING_FAILED
    refusals = {TooManyBookingsError: Refusal(429), BookingError: Refusal(400)}
    error_body = staticmethod(error_body)

    @extend_schema(
        operation_id="bookClass",
        tags=["Classes"],
        summary="Book a class",
        description=from_settings(
            "Books a class for the signed-in person. It is pending until its payment is "
            "confirmed.\n\n"
            "`start` and `end` are ISO 8601 date-times; without an offset they are meant in "
            "Buenos Aires. The class ends after it starts, after now, and within "
            "{MAX_CLASS_LENGTH}. Other keys are ignored; numbers and booleans in quotes are "
            "refused.\n\n"
            "A preference made by `POST /api/payments/preference` has to be booked as it was "
            "made, before or after it is paid.\n\n"
            "With payments configured, a price below the list's is refused, and a class that "
            "the list lacks waits until the teacher agrees to it."
        ),
        request=BookingSerializer,
        parameters=[
            retry_after(),
            header(
                "WWW-Authenticate", "What is missing: a session.", required=True, response=[401]
            ),
            header("Allow", "The methods that there are.", required=True, response=[405]),
        ],
        examples=[OpenApiExample("a group", BOOKING_EXAMPLE, request_only=True)],
        responses={
            200: answer(BookedSerializer, "The class is booked.", {"success": True, "status": 200}),
            400: _refusal(
                400,
                "Something is missing, malformed or impossible; `{error}` alone: a foreign `Host`.",
                "start: Este campo es requerido.",
                f"price: {StrictIntegerField.default_error_messages['invalid']}",
                PreferenceTakenError.text,
                PriceTooLowError.text,
            ),
            401: _refusal(401, "No session.", SIGN_IN_FIRST),
            403: _refusal(403, "A page of another site sent it.", FOREIGN_ORIGIN),
            405: _refusal(405, "What any other method gets.", WRONG_METHOD),
            413: _refusal(
                413,
                from_settings("The body is over {DATA_UPLOAD_MAX_MEMORY_SIZE:bytes}."),
                BODY_TOO_LARGE,
            ),
            415: _refusal(
                415, "The body is a form or XML, or in another charset than UTF-8.", WRONG_TYPE
            ),
            429: _refusal(
                429,
                from_settings("The person made {MAX_BOOKINGS:,} bookings within the hour."),
                TooManyBookingsError.text,
            ),
            500: _refusal(500, "The class could not be stored.", BOOKING_FAILED),
        },
    )
    def post(self, request: Request) -> Response:
        body = BookingSerializer().run_validation(request.data)
        body["text"] = body.get("text") or ""
        book_class(user=cast(User, request.user), request=BookingRequest(**body))
        return Response({"success": True, "status": 200})
