"""/api/classes: one's own classes, to read, cancel and move. Our own addition."""

import uuid
from contextlib import suppress
from typing import cast

from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from accounts.sign_in.fresh_sign_in import is_fresh
from bookings.api.preference import CALENDAR_DOWN
from bookings.api.serializers import (
    CancelSerializer,
    MoveSerializer,
    OwnClassesQuerySerializer,
    OwnClassesSerializer,
    OwnClassSerializer,
)
from bookings.domain.exceptions import (
    BookingError,
    ClassCancelledError,
    ClassCompletedError,
    ClassEndedError,
    ClassNotFoundError,
    ClassPendingError,
    FreshSignInNeededError,
    NotHostError,
    RefundChangedError,
    SameTimeError,
    SlotNotOfferedError,
    SlotTakenError,
    TimeOverError,
    TooLateToChangeError,
    TooManyAttemptsError,
    TooManyError,
)
from bookings.domain.lifecycle.cancelling import cancel_class
from bookings.domain.lifecycle.rescheduling import reschedule_class
from bookings.domain.people.own_classes import get_own_class, list_own_classes
from bookings.domain.queries import get_class_of
from calendar_sync import CalendarError
from config.lib.api.schema import coded_refusal, refusal, retry_after
from config.lib.api.texts import FOREIGN_ORIGIN, NOT_FOUND
from config.lib.api.views import Refusal

TAGS = ["Classes"]
CLASSES_A_PAGE = 50
CLASS_ID = OpenApiParameter(
    "class_id",
    OpenApiTypes.UUID,
    OpenApiParameter.PATH,
    examples=[OpenApiExample("a class", "0b8f9c1e-52a3-4b7e-9d0c-3f1f5a7f2a10")],
)
UNKNOWN = refusal("The person has no such class.", NOT_FOUND)
NOT_PERMITTED = coded_refusal(
    "The person is a guest, or the teacher and has to sign in again; or a page of another site "
    "sent it.",
    NotHostError,
    FreshSignInNeededError,
    without_code=FOREIGN_ORIGIN,
)
# Seconds after which a calendar that failed may answer again.
CALENDAR_REST = 30


class OwnClassesBase(APIView):
    refusals = {
        ClassNotFoundError: Refusal(404, NOT_FOUND),
        NotHostError: Refusal(403, has_code=True),
        FreshSignInNeededError: Refusal(403, has_code=True),
        TooManyError: Refusal(429),
        BookingError: Refusal(409, has_code=True),
        CalendarError: Refusal(
            503,
            CALENDAR_DOWN,
            retry_after=CALENDAR_REST,
            warning="the free times could not be read",
        ),
    }


class OwnClassesView(OwnClassesBase):
    @extend_schema(
        operation_id="listOwnClasses",
        tags=TAGS,
        summary="List one's own classes",
        description=(
            f"Of the signed-in person, as host or guest, the latest start first, {CLASSES_A_PAGE} "
            "at once."
        ),
        parameters=[OwnClassesQuerySerializer],
        responses={200: OwnClassesSerializer, 404: UNKNOWN},
    )
    def get(self, request: Request) -> Response:
        query = OwnClassesQuerySerializer().run_validation(request.query_params.dict())
        found = list_own_classes(
            cast(User, request.user), before=query.get("before"), most=CLASSES_A_PAGE + 1
        )
        shown, address = found[:CLASSES_A_PAGE], None
        if len(found) > len(shown):
            last = shown[-1].virtual_class.pk
            address = reverse("bookings:api_classes", query={"before": last})
        return Response(OwnClassesSerializer({"classes": shown, "next": address}).data)


class OwnClassView(OwnClassesBase):
    @extend_schema(
        operation_id="getOwnClass",
        tags=TAGS,
        summary="Read one of one's own classes",
        parameters=[CLASS_ID],
        responses={200: OwnClassSerializer, 404: UNKNOWN},
    )
    def get(self, request: Request, class_id: uuid.UUID) -> Response:
        return _answer(request, class_id)


class CancelClassView(OwnClassesBase):
    @extend_schema(
        operation_id="cancelClass",
        tags=TAGS,
        summary="Cancel a class",
        description=(
            "For its host, by the rules of the pages; to cancel it again changes nothing. With "
            "`refund`, nothing is done if less would go back."
        ),
        request=CancelSerializer,
        parameters=[CLASS_ID],
        examples=[OpenApiExample("shown", {"refund": 0, "reason": "Travel"}, request_only=True)],
        responses={
            200: OwnClassSerializer,
            403: NOT_PERMITTED,
            404: UNKNOWN,
            409: coded_refusal(
                "It is too late, or less would go back.",
                TooLateToChangeError,
                RefundChangedError,
                ClassCompletedError,
                ClassEndedError,
            ),
        },
    )
    def post(self, request: Request, class_id: uuid.UUID) -> Response:
        body = CancelSerializer().run_validation(request.data)
        user = cast(User, request.user)
        get_class_of(user, class_id)
        with suppress(CalendarError):  # the class is cancelled; the sweep removes the event
            cancel_class(
                class_id=class_id,
                actor=user,
                reason=body.get("reason") or "",
                refund=body.get("refund"),
                fresh_sign_in=is_fresh(request),
            )
        return _answer(request, class_id)


class MoveClassView(OwnClassesBase):
    @extend_schema(
        operation_id="moveClass",
        tags=TAGS,
        summary="Move a class to another time",
        description="For its host, to a time that the pages offer. Length, people and link stay.",
        request=MoveSerializer,
        parameters=[CLASS_ID, retry_after(429, 503)],
        examples=[
            OpenApiExample("a start", {"start": "2030-01-15T15:00:00-03:00"}, request_only=True)
        ],
        responses={
            200: OwnClassSerializer,
            403: NOT_PERMITTED,
            404: UNKNOWN,
            409: coded_refusal(
                "The time is not free, or the class cannot be moved any more.",
                SlotTakenError,
                SlotNotOfferedError,
                TimeOverError,
                SameTimeError,
                TooLateToChangeError,
                ClassPendingError,
                ClassCancelledError,
                ClassCompletedError,
                ClassEndedError,
            ),
            429: refusal("Too many changes within the hour.", TooManyAttemptsError.text),
            503: refusal(
                "The calendar does not answer, or the database takes no connection.", CALENDAR_DOWN
            ),
        },
    )
    def post(self, request: Request, class_id: uuid.UUID) -> Response:
        body = MoveSerializer().run_validation(request.data)
        user = cast(User, request.user)
        get_class_of(user, class_id)
        reschedule_class(
            class_id=class_id,
            actor=user,
            start=body["start"],
            fresh_sign_in=is_fresh(request),
        )
        return _answer(request, class_id)


def _answer(request: Request, class_id: uuid.UUID) -> Response:
    found = get_own_class(cast(User, request.user), class_id)
    return Response(OwnClassSerializer(found).data)
