"""The description of GET and POST /api/calendar."""

from django.conf import settings
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    inline_serializer,
)
from rest_framework import serializers

from bookings.api import texts
from config.lib.api_schema import answer, from_settings, refusal, retry_after
from config.lib.api_texts import FOREIGN_ORIGIN

TAGS = ["Calendar"]
ZONE = "America/Argentina/Buenos_Aires"
EVENT = {
    "start": {"dateTime": "2030-01-05T15:00:00-03:00", "timeZone": ZONE},
    "end": {"dateTime": "2030-01-05T16:00:00-03:00", "timeZone": ZONE},
    "status": "confirmed",
}


class EventTimeSerializer(serializers.Serializer[None]):
    """When an event starts or ends. Spec: Resources, Calendar event."""

    dateTime = serializers.DateTimeField()
    timeZone = serializers.CharField(required=False, help_text="May be absent.")


class EventSerializer(serializers.Serializer[None]):
    """Time that is occupied, and nothing about by what."""

    start = EventTimeSerializer()
    end = EventTimeSerializer()
    status = serializers.CharField(help_text="For example `confirmed`.")


class TriggerSerializer(serializers.Serializer[None]):
    """The body of POST /api/calendar."""

    preferenceId = serializers.CharField(help_text="Of the class that is to be scheduled.")


describe_listing = extend_schema(
    operation_id="listCalendarEvents",
    tags=TAGS,
    summary="List the occupied times",
    description=(
        "Every upcoming event that makes the teacher busy, 2,500 at most. The list is some seconds "
        "old at most, and somewhat older while the calendar fails. Nobody has to be signed in; the "
        "query and a body are ignored. The `ETag` of the answer names this list."
    ),
    auth=[],
    parameters=[
        OpenApiParameter(
            "If-None-Match",
            str,
            OpenApiParameter.HEADER,
            description="The `ETag` of a list that the caller has.",
        )
    ],
    responses={
        200: answer(EventSerializer(many=True), "The events, in the order of their start.", EVENT),
        304: OpenApiResponse(description="`If-None-Match` names the current list."),
        500: refusal("The calendar does not answer.", texts.FETCH_FAILED),
    },
)
describe_scheduling = extend_schema(
    operation_id="scheduleClass",
    tags=TAGS,
    summary="Schedule the class of a preference",
    description=(
        "Normally called once the payment is confirmed: makes the calendar event, its video link "
        "and the access code. Nobody has to be signed in, and a session gives no extra power. "
        "Asking again is harmless: a class that is scheduled already gets the same answer."
    ),
    auth=[],
    request=TriggerSerializer,
    parameters=[
        retry_after(402, 429),
        OpenApiParameter(
            "X-Internal-Secret",
            str,
            OpenApiParameter.HEADER,
            description="`CALENDAR_TRIGGER_SECRET`, where the policy `secret` asks for it.",
        ),
    ],
    examples=[OpenApiExample("a preference", {"preferenceId": "preference-1"}, request_only=True)],
    responses={
        200: answer(
            inline_serializer(
                "Scheduled",
                {"success": serializers.BooleanField(), "message": serializers.CharField()},
            ),
            "The class is scheduled, now or before.",
            {"success": True, "message": texts.EVENT_CREATED},
        ),
        400: refusal("The body holds no usable preference.", texts.MISSING_PREFERENCE),
        402: refusal(
            "The policy asks for a payment, and Mercado Pago, asked after the call arrived, knows "
            "of none.",
            texts.NOT_PAID,
        ),
        403: refusal(
            "By the policy `closed`, or `secret` without the right `X-Internal-Secret`; or a page "
            "of another site sent it.",
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
                    f"{settings.MAX_LOOK_UPS} times within a minute Mercado Pago was asked about "
                    "payments of the person who booked. Concurrent calls share one look-up."
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
