"""POST /api/booking."""

from typing import Any, cast

from django.utils.functional import Promise
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from bookings.api.serializers import BookedSerializer, BookingRefusalSerializer, BookingSerializer
from bookings.domain.classes.booking import BookingRequest, book_class
from bookings.domain.exceptions import (
    BookingError,
    PreferenceTakenError,
    PriceTooLowError,
    TooManyBookingsError,
)
from bookings.domain.money.prices import Quote
from config.lib.api import JSONIntegerField, Refusal, operation

BOOKING_FAILED = "No pudimos guardar la reserva."


def error_body(status_code: int, text: str | Promise) -> dict[str, Any]:
    """Return both documented shapes in one."""
    return {"success": False, "status": status_code, "error": text}


class BookingView(APIView):
    """Spec: POST /api/booking."""

    server_error = BOOKING_FAILED
    refusals = {TooManyBookingsError: Refusal(429), BookingError: Refusal(400)}
    error_body = staticmethod(error_body)
    error_serializer = BookingRefusalSerializer

    @operation(
        "bookClass",
        request=BookingSerializer,
        responses=BookedSerializer,
        errors=[PreferenceTakenError, PriceTooLowError, TooManyBookingsError],
        texts={
            400: [
                "start: Este campo es requerido.",
                f"price: {JSONIntegerField.default_error_messages['invalid']}",
            ]
        },
    )
    def post(self, request: Request) -> Response:
        body = BookingSerializer().run_validation(request.data)
        words = {"learning_focus": body.pop("text", None) or ""}
        preference_id = body.pop("preference_id")
        booking = BookingRequest(Quote(**body), preference_id, words)
        book_class(user=cast(User, request.user), request=booking)
        return Response({"success": True, "status": 200})
