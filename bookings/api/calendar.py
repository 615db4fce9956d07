"""GET and POST /api/calendar."""

from typing import Any

from django.http import HttpResponse
from rest_framework.exceptions import ParseError
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.authentication import refuse_foreign_origin
from bookings.api import kept_listing
from bookings.api.serializers import EventSerializer, ScheduledSerializer, TriggerSerializer
from bookings.availability.agenda import read_upcoming_events
from bookings.domain.exceptions import (
    ClassCancelledError,
    ClassCompletedError,
    ClassEndedError,
    ClassNotFoundError,
    CodeUsedUpError,
    EventNotSavedError,
    NotPaidError,
    PriceNotAgreedError,
    SlotTakenError,
    TooManyLookUpsError,
    TriggerRefusedError,
)
from bookings.domain.sales.settling import trigger_scheduling
from bookings.payments.gateway import PaymentError
from calendar_sync import CalendarError
from config.lib.api import Refusal, operation
from config.lib.api_texts import FOREIGN_ORIGIN

EVENT_CREATED = "Event created successfully"
FETCH_FAILED = "Failed to fetch calendar events"
CREATE_FAILED = "Failed to create calendar event"
MISSING_PREFERENCE = "Missing preferenceId"
# Seconds after which a caller that got 402 may ask again: paying takes some time.
PAYING_TAKES = 5

Refusals = dict[type[Exception], Refusal]
LISTING: Refusals = {CalendarError: Refusal(500, FETCH_FAILED)}
_FAILED = Refusal(500, CREATE_FAILED, warning="a class could not be scheduled")
_CANCELLED = Refusal(409, "Virtual class was cancelled")
_OVER = Refusal(409, "Virtual class is already over")
SCHEDULING: Refusals = {
    NotPaidError: Refusal(402, "Payment not confirmed", retry_after=PAYING_TAKES),
    TriggerRefusedError: Refusal(403, "Scheduling is not allowed for this caller"),
    ClassNotFoundError: Refusal(404, "Virtual class not found"),
    SlotTakenError: Refusal(409, "Time slot is no longer available"),
    ClassCancelledError: _CANCELLED,
    CodeUsedUpError: _CANCELLED,
    ClassCompletedError: _OVER,
    ClassEndedError: _OVER,
    PriceNotAgreedError: Refusal(409, "The teacher has not agreed to the price yet"),
    TooManyLookUpsError: Refusal(429, "Too many requests about payments, try again later"),
    CalendarError: _FAILED,
    PaymentError: _FAILED,
    EventNotSavedError: Refusal(500, "Failed to save google event in database"),
}


class CalendarView(APIView):
    """Spec: GET /api/calendar; POST /api/calendar. No session is read."""

    authentication_classes = []
    permission_classes = []

    @property
    def server_error(self) -> str:
        return FETCH_FAILED if self.request.method in SAFE_METHODS else CREATE_FAILED

    @property
    def refusals(self) -> Refusals:
        return LISTING if self.request.method in SAFE_METHODS else SCHEDULING

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        refuse_foreign_origin(request)
        super().initial(request, *args, **kwargs)

    @operation("listCalendarEvents", responses={200: EventSerializer(many=True), 304: None})
    def get(self, request: Request) -> HttpResponse:
        """Called only if ``KeptListingMiddleware`` has no current list."""
        kept = kept_listing.keep(read_upcoming_events(), request.resolver_match)
        return kept_listing.answer(request, kept)

    @operation(
        "scheduleClass",
        request=TriggerSerializer,
        responses=ScheduledSerializer,
        texts={400: [MISSING_PREFERENCE], 403: [FOREIGN_ORIGIN]},
    )
    def post(self, request: Request) -> Response:
        preference_id = _read_preference_id(request)
        if preference_id is None:
            return Response({"error": MISSING_PREFERENCE}, status=400)
        secret = request.headers.get("X-Internal-Secret", "")
        trigger_scheduling(preference_id=preference_id, secret=secret)
        return Response({"success": True, "message": EVENT_CREATED})


def _read_preference_id(request: Request) -> str | None:
    try:
        body = request.data
    except ParseError:
        return None
    preference_id = body.get("preferenceId") if isinstance(body, dict) else None
    return preference_id if isinstance(preference_id, str) and preference_id else None
