"""/api/classes: one's own classes, to read, cancel and move. Our own addition."""

import uuid
from contextlib import suppress
from typing import cast

from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from accounts.sign_in.fresh_sign_in import is_fresh
from bookings.api.booking import CALENDAR_DOWN
from bookings.api.serializers import (
    CancelSerializer,
    MoveSerializer,
    OwnClassesQuerySerializer,
    OwnClassesSerializer,
    OwnClassSerializer,
)
from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.classes.changing import reschedule_class
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
from bookings.domain.people.own_classes import get_own_class, list_own_classes
from bookings.domain.queries import get_class_of
from calendar_sync import CalendarError
from config.lib.api import NOT_FOUND, Refusal, operation

CLASSES_A_PAGE = 50
# Why a class cannot be moved any more.
UNCHANGEABLE = (
    TooLateToChangeError,
    ClassPendingError,
    ClassCancelledError,
    ClassCompletedError,
    ClassEndedError,
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
    @operation(
        "listOwnClasses",
        parameters=[OwnClassesQuerySerializer],
        responses=OwnClassesSerializer,
        errors=[ClassNotFoundError],
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
    @operation("getOwnClass", responses=OwnClassSerializer, errors=[ClassNotFoundError])
    def get(self, request: Request, class_id: uuid.UUID) -> Response:
        return _answer(request, class_id)


class CancelClassView(OwnClassesBase):
    @operation(
        "cancelClass",
        request=CancelSerializer,
        responses=OwnClassSerializer,
        errors=[
            NotHostError,
            FreshSignInNeededError,
            ClassNotFoundError,
            TooLateToChangeError,
            RefundChangedError,
            ClassCompletedError,
            ClassEndedError,
        ],
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
    @operation(
        "moveClass",
        request=MoveSerializer,
        responses=OwnClassSerializer,
        errors=[
            NotHostError,
            FreshSignInNeededError,
            ClassNotFoundError,
            SlotTakenError,
            SlotNotOfferedError,
            TimeOverError,
            SameTimeError,
            *UNCHANGEABLE,
            TooManyAttemptsError,
            CalendarError,
        ],
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
