"""POST /api/payments/preference. Our own addition."""

from typing import cast

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from bookings.api.serializers import PaymentSerializer, PreferenceSerializer
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
from bookings.domain.sales.checkout import request_preference
from bookings.payments.gateway import PaymentError
from calendar_sync import CalendarError
from config.lib.api import Refusal, operation

PREFERENCE_FAILED = "No pudimos preparar el pago."
PROVIDER_DOWN = "El medio de pago no responde. Volvé a intentarlo."
CALENDAR_DOWN = "No pudimos leer la agenda de la profe. Volvé a intentarlo."


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
