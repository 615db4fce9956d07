"""POST /api/booking."""

from typing import Any, cast

from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from bookings.api.serializers import BookingSerializer
from bookings.api.texts import BOOKING_FAILED
from bookings.domain.change_policy import check_booking_rate
from bookings.domain.exceptions import BookingError, TooManyBookingsError
from bookings.domain.lifecycle.booking import BookingRequest, book_class


def error_body(status_code: int, text: str) -> dict[str, Any]:
    """Give both documented shapes at once: the endpoint's own, and ``error``."""
    return {"success": False, "status": status_code, "error": text}


# One for all: making a serializer copies each of its fields.
_body = BookingSerializer()


class BookingView(APIView):
    """Books a class for the signed-in person. Spec: POST /api/booking."""

    server_error = BOOKING_FAILED
    error_body = staticmethod(error_body)

    def post(self, request: Request) -> Response:
        """Store a pending class."""
        body = _body.run_validation(request.data)
        user = cast(User, request.user)
        try:
            check_booking_rate(user)
            book_class(
                user=user,
                request=BookingRequest(
                    start=body["start"],
                    end=body["end"],
                    is_group_class=body["isGroupClass"],
                    students_count=body["studentsCount"],
                    price=body["price"],
                    preference_id=body["preferenceId"],
                    text=body.get("text") or "",
                ),
            )
        except TooManyBookingsError as refusal:
            return Response(
                error_body(status.HTTP_429_TOO_MANY_REQUESTS, str(refusal)),
                status=status.HTTP_429_TOO_MANY_REQUESTS,
                headers={"Retry-After": str(refusal.wait_seconds)},
            )
        except BookingError as refusal:
            code = status.HTTP_400_BAD_REQUEST
            return Response(error_body(code, str(refusal)), status=code)
        return Response({"success": True, "status": status.HTTP_200_OK})
