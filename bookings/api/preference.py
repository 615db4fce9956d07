"""POST /api/payments/preference. Our own addition."""

from typing import cast

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from bookings.api.serializers import PaymentSerializer, PreferenceSerializer
from bookings.domain.checkout.checkout import request_preference
from bookings.domain.exceptions import (
    BookingError,
    ClassEndedError,
    NoPriceError,
    PaymentsOffError,
    SlotNotOfferedError,
    SlotTakenError,
    TooManyError,
    TooManyHoldsError,
    TooManyLapsedError,
)
from bookings.payments.gateway import PaymentError
from calendar_sync import CalendarError
from config.lib.api.schema import answer, coded_refusal, from_settings, refusal, retry_after
from config.lib.api.views import Refusal

PREFERENCE_FAILED = "No pudimos preparar el pago."
PROVIDER_DOWN = "El medio de pago no responde. Volvé a intentarlo."
CALENDAR_DOWN = "No pudimos leer la agenda de la profe. Volvé a intentarlo."
PREFERENCE_WISH = {
    "start": "2030-01-07T15:00:00-03:00",
    "end": "2030-01-07T16:00:00-03:00",
    "isGroupClass": False,
    "studentsCount": 1,
}
PREFERENCE_EXAMPLE = {
    "preferenceId": "1000000001-5f0c9a36-5f1e-4b0c-a3b3-0a6f2f4f7a10",
    "initPoint": "https://www.mercadopago.com.ar/checkout/v1/redirect?pref_id=1000000001-5f0c9a36",
    "price": 1500000,
    "expiresAt": "2030-01-05T15:30:00-03:00",
}


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

    @extend_schema(
        operation_id="createPaymentPreference",
        tags=["Payments"],
        summary="Ask for a payment",
        description=(
            "Makes a Mercado Pago preference for the signed-in person, at the price of the list. "
            "The person pays at `initPoint`; `POST /api/booking` with the same class, `price` and "
            "`preferenceId` books it, before or after. The time is held for the person until "
            "`expiresAt`; the booked class takes over the hold. If the teacher has opening hours, "
            "only a time that the pages offer gets a preference."
        ),
        request=PreferenceSerializer,
        parameters=[retry_after()],
        examples=[OpenApiExample("one student", PREFERENCE_WISH, request_only=True)],
        responses={
            200: answer(PaymentSerializer, "What the person pays with.", PREFERENCE_EXAMPLE),
            400: refusal(
                "Not offered, free, over, or malformed.", NoPriceError.text, ClassEndedError.text
            ),
            409: coded_refusal(
                "The time is taken, busy in the calendar, or not offered.",
                SlotTakenError,
                SlotNotOfferedError,
            ),
            429: refusal(
                from_settings(
                    "{MAX_UNPAID_HOLDS} unpaid times are held for this person already, or "
                    "{MAX_UNPAID_PREFERENCES} payments of this person wait. The header names the "
                    "first expiry."
                ),
                TooManyHoldsError.text,
                TooManyLapsedError.text,
            ),
            500: refusal("It could not be stored.", PREFERENCE_FAILED),
            503: refusal(
                "No payments are configured, or Mercado Pago or the calendar does not answer.",
                PaymentsOffError.text,
                PROVIDER_DOWN,
                CALENDAR_DOWN,
            ),
        },
    )
    def post(self, request: Request) -> Response:
        body = PreferenceSerializer().run_validation(request.data)
        payment = request_preference(user=cast(User, request.user), **body)
        return Response(PaymentSerializer(payment).data)
