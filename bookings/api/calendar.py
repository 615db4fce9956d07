"""GET and POST /api/calendar."""

from datetime import datetime
from typing import Any

from django.utils.decorators import method_decorator
from django.views.decorators.http import conditional_page
from rest_framework.exceptions import ParseError, ValidationError
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.authentication import refuse_foreign_origin
from bookings.api.serializers import EventSerializer, ScheduledSerializer, TriggerSerializer
from bookings.availability.agenda import read_upcoming_events
from bookings.domain.exceptions import (
    ClassCancelledError,
    ClassCompletedError,
    ClassEndedError,
    ClassNotFoundError,
    EventNotSavedError,
    NotPaidError,
    PriceNotAgreedError,
    SlotTakenError,
    TooManyLookUpsError,
    TriggerRefusedError,
)
from bookings.domain.sales.settling import trigger_scheduling
from bookings.payments.gateway import PaymentError
from calendar_sync import BusySlot, CalendarError
from config.lib.api import FOREIGN_ORIGIN, Refusal, operation

EVENT_CREATED = "Event created successfully"
FETCH_FAILED = "Failed to fetch calendar events"
CREATE_FAILED = "Failed to create calendar event"
MISSING_PREFERENCE = "Missing preferenceId"
# Seconds after which a caller that got 402 may ask again: paying takes some time.
PAYING_TAKES = 5

Refusals = dict[type[Exception], Refusal]
LISTING: Refusals = {CalendarError: Refusal(500, FETCH_FAILED)}
_FAILED = Refusal(500, CREATE_FAILED, warning="a class could not be scheduled")
_OVER = Refusal(409, "Virtual class is already over")
SCHEDULING: Refusals = {
    NotPaidError: Refusal(402, "Payment not confirmed", retry_after=PAYING_TAKES),
    TriggerRefusedError: Refusal(403, "Scheduling is not allowed for this caller"),
    ClassNotFoundError: Refusal(404, "Virtual class not found"),
    SlotTakenError: Refusal(409, "Time slot is no longer available"),
    ClassCancelledError: Refusal(409, "Virtual class was cancelled"),
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
    @method_decorator(conditional_page)
    def get(self, request: Request) -> Response:
        slots = [_present_slot(slot) for slot in read_upcoming_events()]
        return Response(slots, headers={"Cache-Control": "private, no-cache"})

    @operation(
        "scheduleClass",
        request=TriggerSerializer,
        responses=ScheduledSerializer,
        texts={400: [MISSING_PREFERENCE], 403: [FOREIGN_ORIGIN]},
    )
    def post(self, request: Request) -> Response:
        try:
            body = TriggerSerializer().run_validation(request.data)
        except (ParseError, ValidationError):
            return Response({"error": MISSING_PREFERENCE}, status=400)
        secret = request.headers.get("X-Internal-Secret", "")
        trigger_scheduling(preference_id=body["preferenceId"], secret=secret)
        return Response({"success": True, "message": EVENT_CREATED})


def _present_slot(slot: BusySlot) -> dict[str, Any]:
    """Spec: Resources, Calendar event."""
    return {
        "start": _present_instant(slot.start, slot.start_time_zone),
        "end": _present_instant(slot.end, slot.end_time_zone),
        "status": slot.status,
    }


def _present_instant(instant: datetime, time_zone: str | None) -> dict[str, str]:
    return {"dateTime": instant.isoformat()} | ({"timeZone": time_zone} if time_zone else {})
