"""GET /api/prices, /api/slots and /api/classes/<id>/slots. Our own additions."""

import uuid
from datetime import timedelta
from typing import cast

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from bookings.api.calendar import FETCH_FAILED, LISTING, TAGS, Refusals
from bookings.api.own_classes import CLASS_ID, UNKNOWN, OwnClassesBase
from bookings.api.preference import CALENDAR_DOWN
from bookings.api.serializers import (
    DaysQuerySerializer,
    PricesSerializer,
    SlotsQuerySerializer,
    SlotsSerializer,
)
from bookings.availability.agenda import load_agenda
from bookings.availability.slots import Agenda
from bookings.domain.checkout.offer_uses import list_bookable_options
from bookings.domain.exceptions import (
    ClassCancelledError,
    ClassCompletedError,
    ClassEndedError,
    ClassPendingError,
    NoPriceError,
    NotHostError,
    OfferOverError,
    OfferUsedError,
    TooLateToChangeError,
)
from bookings.domain.lifecycle.rescheduling import refuse_move
from bookings.domain.money.prices import ClassOption
from bookings.domain.queries import get_class_of
from config.lib.api.schema import answer, coded_refusal, refusal, retry_after
from config.lib.api.views import Refusal

PRICES_FAILED = "No pudimos leer los precios."
NOT_OFFERED = Refusal(404, NoPriceError.text)
REFUSALS: Refusals = {
    NoPriceError: NOT_OFFERED,
    OfferOverError: NOT_OFFERED,
    OfferUsedError: Refusal(409),
}
REFUSED = {
    404: refusal("The teacher does not sell this.", NoPriceError.text),
    409: refusal("The signed-in person has used this offer.", OfferUsedError.text),
}
TYPE = "`individual`, `grupal`, or the key of an offer."
PRICES = [
    {
        "type": "individual",
        "classType": "individual",
        "title": "Individual",
        "minutes": 60,
        "students": 1,
        "price": 1500000,
    },
    {
        "type": "grupal",
        "classType": "grupal",
        "title": "Grupal",
        "minutes": 60,
        "students": 4,
        "price": 2400000,
    },
]
SLOT = {"start": "2030-01-07T15:00:00-03:00", "end": "2030-01-07T16:00:00-03:00"}

DAYS = [
    OpenApiParameter(name, {"type": "string", "format": "date"}, description=text)
    for name, text in {
        "from": "The first day in Buenos Aires; by default today.",
        "to": (
            f"The last day, {DaysQuerySerializer.MAX_DAYS} days after the first at most; by "
            f"default {DaysQuerySerializer.USUAL_DAYS}."
        ),
    }.items()
]
SLOTS = answer(SlotsSerializer, "The times, in their order.", {"slots": [SLOT]})
BAD_QUERY = refusal("A part of the query is missing, malformed or out of bounds.")


class PricesView(APIView):
    """No session is needed."""

    permission_classes = [AllowAny]
    server_error, refusals = PRICES_FAILED, REFUSALS

    @extend_schema(
        operation_id="listPrices",
        tags=["Classes"],
        summary="List the prices",
        description=(
            "What the booking page sells, in its order: one entry for each type, length and size. "
            "`students` is the largest class that has this `price`, in centavos for the whole "
            "class. Of a signed-in person the offers that they have used are left out."
        ),
        parameters=[
            OpenApiParameter(
                "type", str, description=f"Only this: {TYPE} One by link only is listed by its key."
            ),
        ],
        responses={
            200: answer(PricesSerializer, "The prices of today.", {"prices": PRICES}),
            500: refusal("They could not be read.", PRICES_FAILED),
            **REFUSED,
        },
    )
    def get(self, request: Request) -> Response:
        options = _list_offered(request, request.query_params.get("type", ""))
        prices = [
            {
                "type": option.kind,
                "classType": option.class_type,
                "title": option.label,
                "minutes": option.minutes,
                "students": tier.most,
                "price": tier.amount,
            }
            for option in options
            for tier in option.tiers
        ]
        return Response(PricesSerializer({"prices": prices}).data)


class SlotsView(APIView):
    """No session is needed."""

    permission_classes = [AllowAny]
    server_error, refusals = FETCH_FAILED, {**LISTING, **REFUSALS}

    @extend_schema(
        operation_id="listSlots",
        tags=TAGS,
        summary="List the free times",
        description=(
            "The times at which the booking page offers a class, by the teacher's hours, rules and "
            "calendar. A time that the signed-in person holds counts as free."
        ),
        parameters=[
            OpenApiParameter(
                "type",
                str,
                required=True,
                description=TYPE,
                examples=[OpenApiExample("a class for one", "individual")],
            ),
            OpenApiParameter(
                "minutes",
                int,
                required=True,
                description="A length that `GET /api/prices` lists for the type.",
                examples=[OpenApiExample("an hour", 60)],
            ),
            *DAYS,
        ],
        responses={
            200: SLOTS,
            400: BAD_QUERY,
            500: refusal("The calendar does not answer.", FETCH_FAILED),
            **REFUSED,
        },
    )
    def get(self, request: Request) -> Response:
        query = SlotsQuerySerializer().run_validation(request.query_params.dict())
        offered = _list_offered(request, query["type"])
        if query["minutes"] not in {one.minutes for one in offered}:
            raise NoPriceError
        user = request.user if isinstance(request.user, User) else None
        agenda = load_agenda(query["from"], query["to"], user=user)
        return _answer_slots(agenda, timedelta(minutes=query["minutes"]))


class ClassSlotsView(OwnClassesBase):
    @extend_schema(
        operation_id="listSlotsOfClass",
        tags=["Classes"],
        summary="List the times to which a class can move",
        description="For its host, as `GET /api/slots`; the time of the class counts as free.",
        parameters=[CLASS_ID, *DAYS, retry_after(503)],
        responses={
            200: SLOTS,
            400: BAD_QUERY,
            403: coded_refusal("The person is a guest.", NotHostError),
            404: UNKNOWN,
            409: coded_refusal(
                "The class cannot be moved.",
                TooLateToChangeError,
                ClassPendingError,
                ClassCancelledError,
                ClassCompletedError,
                ClassEndedError,
            ),
            503: refusal(
                "The calendar does not answer, or the database takes no connection.", CALENDAR_DOWN
            ),
        },
    )
    def get(self, request: Request, class_id: uuid.UUID) -> Response:
        query = DaysQuerySerializer().run_validation(request.query_params.dict())
        user = cast(User, request.user)
        virtual_class = get_class_of(user, class_id)
        refuse_move(virtual_class, user)
        agenda = load_agenda(query["from"], query["to"], user=user, moving=virtual_class)
        return _answer_slots(agenda, virtual_class.end_time - virtual_class.start_time)


def _answer_slots(agenda: Agenda, length: timedelta) -> Response:
    by_day = agenda.find_free_slots(length)
    slots = [slot for of_day in by_day.values() for slot in of_day]
    return Response(SlotsSerializer({"slots": slots}).data)


def _list_offered(request: Request, kind: str) -> list[ClassOption]:
    """List the options of a kind, or all. Raises NoPriceError, OfferOverError, OfferUsedError."""
    options, refusal_of_kind = list_bookable_options(request.user, kind)
    if refusal_of_kind:
        raise refusal_of_kind
    if not kind:
        return options
    of_kind = [one for one in options if one.kind == kind]
    if not of_kind:
        raise NoPriceError
    return of_kind
