"""GET and POST /api/calendar."""

from typing import Any

from django.conf import settings
from django.http import HttpResponse
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework.exceptions import ParseError
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.authentication import refuse_foreign_origin
from bookings.api import kept_listing, texts
from bookings.api.refusals import LISTING, SCHEDULING, Refusals
from bookings.api.serializers import EventSerializer, ScheduledSerializer, TriggerSerializer
from bookings.availability.agenda import read_upcoming_events
from bookings.domain.checkout.scheduling_requests import trigger_scheduling
from config.lib.api.schema import answer, from_settings, header, refusal, retry_after
from config.lib.api.texts import FOREIGN_ORIGIN

TAGS = ["Calendar"]
ZONE = "America/Argentina/Buenos_Aires"
EVENT = {
    "start": {"dateTime": "2030-01-05T15:00:00-03:00", "timeZone": ZONE},
    "end": {"dateTime": "2030-01-05T16:00:00-03:00", "timeZone": ZONE},
    "status": "confirmed",
}


class CalendarView(APIView):
    """Spec: GET /api/calendar; POST /api/calendar. No session is read."""

    authentication_classes = []
    permission_classes = []

    @property
    def server_error(self) -> str:
        return texts.FETCH_FAILED if self.request.method in SAFE_METHODS else texts.CREATE_FAILED

    @property
    def refusals(self) -> Refusals:
        return LISTING if self.request.method in SAFE_METHODS else SCHEDULING

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        refuse_foreign_origin(request)
        super().initial(request, *args, **kwargs)

    @extend_schema(
        operation_id="listCalendarEvents",
        tags=TAGS,
        summary="List the occupied times",
        description=(
            "Every upcoming event that makes the teacher busy, 2,500 at most. The list is some "
            "seconds old at most, and somewhat older while the calendar fails. Nobody has to be "
            "signed in; the query and a body are ignored. The `ETag` of the answer names this list."
        ),
        parameters=[header("If-None-Match", "The `ETag` of a list that the caller has.")],
        responses={
            200: answer(
                EventSerializer(many=True), "The events, in the order of their start.", EVENT
            ),
            304: OpenApiResponse(description="`If-None-Match` names the current list."),
            500: refusal("The calendar does not answer.", texts.FETCH_FAILED),
        },
    )
    def get(self, request: Request) -> HttpResponse:
        """``KeptListingMiddleware`` sends a kept list."""
        return kept_listing.answer(request, kept_listing.keep(read_upcoming_events()))

    @extend_schema(
        operation_id="scheduleClass",
        tags=TAGS,
        summary="Schedule the class of a preference",
        description=(
            "Normally called once the payment is confirmed: makes the calendar event, its video "
            "link and the access code. Nobody has to be signed in, and a session gives no extra "
            "power. Asking again is harmless: a class that is scheduled already gets the same "
            "answer."
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
                {"success": True, "message": texts.EVENT_CREATED},
            ),
            400: refusal("The body holds no usable preference.", texts.MISSING_PREFERENCE),
            402: refusal(
                "The policy asks for a payment, and Mercado Pago, asked after the call arrived, "
                "knows of none.",
                texts.NOT_PAID,
            ),
            403: refusal(
                "By the policy `closed`, or `secret` without the right `X-Internal-Secret`; or a "
                "page of another site sent it.",
                texts.CALLER_REFUSED,
                FOREIGN_ORIGIN,
            ),
            404: refusal("No class has this preference.", texts.CLASS_NOT_FOUND),
            409: refusal(
                "The class cannot be scheduled any more, and what was paid goes back; or the price "
                "list lacks it, and the teacher has not agreed yet.",
                texts.TIME_TAKEN,
                texts.CLASS_CANCELLED,
                texts.CLASS_OVER,
                texts.PRICE_NOT_AGREED,
            ),
            429: refusal(
                from_settings(
                    lambda: (
                        f"{settings.MAX_LOOK_UPS} times within a minute Mercado Pago was asked "
                        "about payments of the person who booked. Concurrent calls share one "
                        "look-up."
                    )
                ),
                texts.TOO_MANY_LOOK_UPS,
            ),
            500: refusal(
                "The calendar or Mercado Pago failed, or the event could not be saved; it is kept. "
                "Ask again.",
                texts.CREATE_FAILED,
                texts.SAVE_FAILED,
            ),
        },
    )
    def post(self, request: Request) -> Response:
        preference_id = _read_preference_id(request)
        if preference_id is None:
            return Response({"error": texts.MISSING_PREFERENCE}, status=400)
        secret = request.headers.get("X-Internal-Secret", "")
        trigger_scheduling(preference_id=preference_id, secret=secret)
        return Response({"success": True, "message": texts.EVENT_CREATED})


def _read_preference_id(request: Request) -> str | None:
    """Return None without a usable identifier."""
    try:
        body = request.data
    except ParseError:
        return None
    preference_id = body.get("preferenceId") if isinstance(body, dict) else None
    return preference_id if isinstance(preference_id, str) and preference_id else None
