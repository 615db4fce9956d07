"""POST /api/payments/preference. Ours: the specification takes preferences from elsewhere."""

import logging
from typing import cast

from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from bookings.api.serializers import PaymentSerializer, PreferenceSerializer
from bookings.api.texts import PREFERENCE_FAILED, PROVIDER_DOWN
from bookings.domain.checkout.checkout import request_preference
from bookings.domain.exceptions import (
    BookingError,
    PaymentsOffError,
    SlotTakenError,
    TooManyError,
)
from bookings.payments.gateway import PaymentError

logger = logging.getLogger(__name__)

REFUSAL_STATUS: dict[type[BookingError], int] = {
    PaymentsOffError: status.HTTP_503_SERVICE_UNAVAILABLE,
    SlotTakenError: status.HTTP_409_CONFLICT,
}


class PreferenceView(APIView):
    """Makes a payment preference, which a booking of the same person then names."""

    server_error = PREFERENCE_FAILED

    def post(self, request: Request) -> Response:
        """Ask for the price of the list; the client has no say in it."""
        serializer = PreferenceSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        body = serializer.validated_data
        try:
            payment = request_preference(
                user=cast(User, request.user),
                start=body["start"],
                end=body["end"],
                is_group_class=body["isGroupClass"],
                students_count=body["studentsCount"],
            )
        except TooManyError as refusal:
            return Response(
                {"error": str(refusal)},
                status=status.HTTP_429_TOO_MANY_REQUESTS,
                headers={"Retry-After": str(refusal.wait_seconds)},
            )
        except BookingError as refusal:
            code = REFUSAL_STATUS.get(type(refusal), status.HTTP_400_BAD_REQUEST)
            return Response({"error": str(refusal)}, status=code)
        except PaymentError as error:
            logger.warning("a preference could not be made: %s", error)
            return Response({"error": PROVIDER_DOWN}, status=status.HTTP_503_SERVICE_UNAVAILABLE)
        return Response(PaymentSerializer(payment).data)
