"""POST /api/access-code."""

from rest_framework import status
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bookings.api.serializers import JoinedClassSerializer
from bookings.api.texts import JOINING_FAILED, NO_CODE
from bookings.domain.exceptions import (
    AlreadyJoinedError,
    BookingError,
    ClassEndedError,
    ClassFullError,
    ClassNotFoundError,
    OwnClassError,
    PlaceOfferedError,
    TooManyAttemptsError,
)
from bookings.domain.places.joining import join_class
from config.lib.addresses import client_address

REFUSAL_STATUS: dict[type[BookingError], int] = {
    ClassNotFoundError: status.HTTP_404_NOT_FOUND,
    OwnClassError: status.HTTP_403_FORBIDDEN,
    ClassEndedError: status.HTTP_410_GONE,
    ClassFullError: status.HTTP_409_CONFLICT,
    PlaceOfferedError: status.HTTP_409_CONFLICT,
    AlreadyJoinedError: status.HTTP_409_CONFLICT,
}


# One for all: making a serializer copies each of its fields.
_joined = JoinedClassSerializer()


class AccessCodeView(APIView):
    """Joins the signed-in person to a class. Spec: POST /api/access-code."""

    server_error = JOINING_FAILED

    def post(self, request: Request) -> Response:
        """Take a place; the body is a JSON string, not an object."""
        access_code = request.data
        if not isinstance(access_code, str):
            raise ParseError(NO_CODE)
        try:
            virtual_class = join_class(
                user=request.user,
                access_code=access_code,
                address=client_address(request._request),
            )
        except TooManyAttemptsError as refusal:
            return Response(
                {"error": str(refusal)},
                status=status.HTTP_429_TOO_MANY_REQUESTS,
                headers={"Retry-After": str(refusal.wait_seconds)},
            )
        except BookingError as refusal:
            return Response(
                {"response": {"error": str(refusal), "code": refusal.code}},
                status=REFUSAL_STATUS[type(refusal)],
            )
        return Response({"response": _joined.to_representation(virtual_class)})
