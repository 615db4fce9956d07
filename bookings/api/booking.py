"""POST /api/payments/preference, our own addition, and POST /api/booking."""

from typing import Any, cast

from django.utils.functional import Promise
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from bookings.api.serializers import (
    BookedSerializer,
    BookingRefusalSerializer,
    BookingSerializer,
    PaymentSerializer,
    PreferenceSerializer,
)
from bookings.domain.classes.booking import BookingRequest, book_class
from bookings.domain.exceptions import (
    BookingError,
    ClassEndedError,
    NoPriceError,
    PaymentsOffError,
    PreferenceTakenError,
    PriceTooLowError,
    SlotNotOfferedError,
    SlotTakenError,
    TooManyBookingsError,
    TooManyError,
    TooManyHoldsError,
    TooManyLapsedError,
)
from bookings.domain.money.prices import Quote
from bookings.domain.sales.checkout import request_preference
from bookings.payments.gateway import PaymentError
from calendar_sync import CalendarError
from config.lib.api import JSONIntegerField, Refusal, operation

BOOKING_FAILED = "No pudimos guardar la reserva."
PREFERENCE_FAILED = "No pudimos preparar el pago."
PROVIDER_DOWN = "El medio de pago no responde. Volvé a intentarlo."
CALENDAR_DOWN = "No pudimos leer la agenda de tu profe. Volvé a intentarlo."


class PreferenceView(APIView):
    server_error = PREFERENCE_FAILED
    refusals = {
        TooManyError: Refusal(429),
        SlotTakenError: Refusal(409, has_code=True),
        PaymentsOffError: Refusal(503),
        BookingError: Refusal(400),
        PaymentError: Refusal(503, PROVIDER_DOWN, warning="a preference could not be made"),
        CalendarError: Refusal(503, CALENDAR_DOWN, warning="the free times could not be read"),
    }

    @operation(
        "createPaymentPreference",
        request=PreferenceSerializer,
        responses=PaymentSerializer,
        errors=[
            NoPriceError,
            ClassEndedError,
            SlotTakenError,
            SlotNotOfferedError,
            TooManyHoldsError,
            TooManyLapsedError,
            PaymentsOffError,
            PaymentError,
            CalendarError,
        ],
    )
    def post(self, request: Request) -> Response:
        body = PreferenceSerializer().run_validation(request.data)
        payment = request_preference(user=cast(User, request.user), **body)
        return Response(PaymentSerializer(payment).data)


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
                "start: Completá este dato.",
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
