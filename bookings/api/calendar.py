"""GET and POST /api/calendar."""

import logging
from typing import Any

from django.http import HttpResponse
from rest_framework import status
from rest_framework.exceptions import ParseError
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.authentication import refuse_foreign_origin
from bookings.api import texts
from bookings.api.kept_listing import answer, keep
from bookings.availability.agenda import read_upcoming_events
from bookings.domain.checkout.scheduling_requests import trigger_scheduling
from bookings.domain.exceptions import (
    BookingError,
    ClassCancelledError,
    ClassCompletedError,
    ClassEndedError,
    ClassNotFoundError,
    EventNotSavedError,
    NotPaidError,
    PriceNotAgreedError,
    SlotTakenError,
    TooManyError,
    TooManyLookUpsError,
    TriggerRefusedError,
)
from bookings.payments.gateway import PaymentError
from calendar_sync import CalendarError

logger = logging.getLogger(__name__)

REFUSALS: dict[type[BookingError], tuple[int, str]] = {
    ClassNotFoundError: (status.HTTP_404_NOT_FOUND, texts.CLASS_NOT_FOUND),
    TriggerRefusedError: (status.HTTP_403_FORBIDDEN, texts.CALLER_REFUSED),
    NotPaidError: (status.HTTP_402_PAYMENT_REQUIRED, texts.NOT_PAID),
    TooManyLookUpsError: (status.HTTP_429_TOO_MANY_REQUESTS, texts.TOO_MANY_LOOK_UPS),
    ClassCancelledError: (status.HTTP_409_CONFLICT, texts.CLASS_CANCELLED),
    ClassCompletedError: (status.HTTP_409_CONFLICT, texts.CLASS_OVER),
    ClassEndedError: (status.HTTP_409_CONFLICT, texts.CLASS_OVER),
    SlotTakenError: (status.HTTP_409_CONFLICT, texts.TIME_TAKEN),
    PriceNotAgreedError: (status.HTTP_409_CONFLICT, texts.PRICE_NOT_AGREED),
    EventNotSavedError: (
        status.HTTP_500_INTERNAL_SERVER_ERROR,
        texts.SAVE_FAILED,
    ),
}
# Seconds after which a caller that got 402 may ask again: people need some time to pay.
PAYING_TAKES = 5


class CalendarView(APIView):
    """Lists occupied time; schedules a class. Spec: GET and POST /api/calendar.

    Nobody needs a session here, and none gives extra power, so cookies are not even read.
    """

    authentication_classes = []
    permission_classes = [AllowAny]

    @property
    def server_error(self) -> str:
        """The documented text for any other failure."""
        return texts.FETCH_FAILED if self.request.method in {"GET", "HEAD"} else texts.CREATE_FAILED

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse what a page of another site makes a browser send, as everywhere below /api."""
        refuse_foreign_origin(request._request)
        super().initial(request, *args, **kwargs)

    def get(self, request: Request) -> HttpResponse | Response:
        """List the upcoming events: start, end and status only.

        What was written for an earlier caller is sent by ``KeptListingMiddleware``.
        """
        try:
            listing = read_upcoming_events()
        except CalendarError:
            return _error(status.HTTP_500_INTERNAL_SERVER_ERROR, texts.FETCH_FAILED)
        return answer(request._request, keep(listing))

    def post(self, request: Request) -> Response:
        """Schedule the class of a payment preference."""
        preference_id = _read_preference_id(request)
        if preference_id is None:
            return _error(status.HTTP_400_BAD_REQUEST, texts.MISSING_PREFERENCE)
        secret = request.headers.get("X-Internal-Secret", "")
        try:
            trigger_scheduling(preference_id=preference_id, secret=secret)
        except BookingError as refusal:
            return _refuse(refusal)
        except (CalendarError, PaymentError) as error:
            logger.warning("a class could not be scheduled: %s", error)
            return _error(status.HTTP_500_INTERNAL_SERVER_ERROR, texts.CREATE_FAILED)
        return Response({"success": True, "message": texts.EVENT_CREATED})


def _read_preference_id(request: Request) -> str | None:
    """Take the identifier from the body; a body without a usable one counts as missing it."""
    try:
        body = request.data
    except ParseError:
        return None
    preference_id = body.get("preferenceId") if isinstance(body, dict) else None
    return preference_id if isinstance(preference_id, str) and preference_id else None


def _refuse(refusal: BookingError) -> Response:
    """Answer a refusal; one that passes by waiting says for how long."""
    response = _error(*REFUSALS[type(refusal)])
    if isinstance(refusal, NotPaidError):
        response["Retry-After"] = str(PAYING_TAKES)
    elif isinstance(refusal, TooManyError):
        response["Retry-After"] = str(refusal.wait_seconds)
    return response


def _error(status_code: int, text: str) -> Response:
    body: dict[str, Any] = {"error": text}
    return Response(body, status=status_code)
