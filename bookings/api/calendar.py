"""GET and POST /api/calendar."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework.exceptions import ParseError
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.authentication import refuse_foreign_origin
from bookings.api import kept_listing
from bookings.api.serializers import EventSerializer, ScheduledSerializer, TriggerSerializer
from bookings.availability.agenda import read_upcoming_events
from bookings.domain.checkout.scheduling_requests import trigger_scheduling
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
from bookings.payments.gateway import PaymentError
from calendar_sync import CalendarError
from config.lib.api.schema import answer, from_settings, header, refusal, retry_after
from config.lib.api.texts import FOREIGN_ORIGIN
from config.lib.api.views import Refusal

TAGS = ["Calendar"]
ZONE = "America/Argentina/Buenos_Aires"
EVENT = {
    "start": {"dateTime": "2030-01-05T15:00:00-03:00", "timeZone": ZONE},
    "end": {"dateTime": "2030-01-05T16:00:00-03:00", "timeZone": ZONE},
    "status": "confirmed",
}
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


def _refusal(status: int, description: str, *more_texts: str) -> OpenApiResponse:
    known = [one.text for one in SCHEDULING.values() if one.status == status]
    return refusal(description, *dict.fromkeys(known), *more_texts)


class CalendarView(APIView):
    """Spec: GET /api/calendar; POST /api/calendar. No session is read."""

    authentication_classes = []
    permission_classes = []

    server_error, refusals = CREATE_FAILED, SCHEDULING

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        if request.method in SAFE_METHODS:
            self.server_error, self.refusals = FETCH_FAILED, LISTING
        refuse_foreign_origin(request)
        super().initial(request, *args, **kwargs)

    @extend_schema(
        operation_id="listCalendarEvents",
        tags=TAGS,
        summary="List the occupied times",
        description=(
            "Every upcoming event that makes the teacher busy, 2,500 at most. The list is some "
            "seconds old at most, and somewhat older while the calendar fails. No session needed; "
            "the query and a body are ignored. The `ETag` of the answer names this list."
        ),
        parameters=[header("If-None-Match", "The `ETag` of a list that the caller has.")],
        responses={
            200: answer(
                EventSerializer(many=True), "The events, in the order of their start.", EVENT
            ),
            304: OpenApiResponse(description="`If-None-Match` names the current list."),
            500: refusal("The calendar does not answer.", FETCH_FAILED),
        },
    )
    def get(self, request: Request) -> HttpResponse:
        """Called only if ``KeptListingMiddleware`` has no current list."""
        kept = kept_listing.keep(read_upcoming_events(), request.resolver_match)
        return kept_listing.answer(request, kept)

    @extend_schema(
        operation_id="scheduleClass",
        tags=TAGS,
        summary="Schedule the class of a preference",
        description=(
            "Normally called once the payment is confirmed: makes the calendar event, its video "
            "link and the access code. No session needed, and a session gives no extra power. "
            "Asking again is harmless: a class that is scheduled already gets the same answer."
        ),
        request=TriggerSerializer,
        parameters=[
            retry_after(402, 429),
            header(
                "X-Internal-Secret",
                "`CALENDAR_TRIGGER_SECRET`, where the policy `secret` asks for it.",
            ),
        ],
        examples=[
            OpenApiExample("a preference", {"preferenceId": "preference-1"}, request_only=True)
        ],
        responses={
            200: answer(
                ScheduledSerializer,
                "The class is scheduled, now or before.",
                {"success": True, "message": EVENT_CREATED},
            ),
            400: refusal("The body holds no usable preference.", MISSING_PREFERENCE),
            402: _refusal(
                402,
                "The policy asks for a payment, and Mercado Pago, asked after the call arrived, "
                "knows of none.",
            ),
            403: _refusal(
                403,
                "By the policy `closed`, or `secret` without the right `X-Internal-Secret`; or a "
                "page of another site sent it.",
                FOREIGN_ORIGIN,
            ),
            404: _refusal(404, "No class has this preference."),
            409: _refusal(
                409,
                "The class cannot be scheduled any more, and what was paid goes back; or the price "
                "list lacks it, and the teacher has not agreed yet.",
            ),
            429: _refusal(
                429,
                from_settings(
                    "{MAX_LOOK_UPS} times within a minute Mercado Pago was asked about payments of "
                    "the person who booked. Concurrent calls share one look-up."
                ),
            ),
            500: _refusal(
                500,
                "The calendar or Mercado Pago failed, or the event could not be saved; it is kept. "
                "Ask again.",
            ),
        },
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
