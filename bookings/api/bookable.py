"""GET /api/prices, /api/slots and /api/classes/<id>/slots. Our own additions."""

import uuid
from datetime import timedelta
from typing import cast

from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from bookings.api.calendar import FETCH_FAILED, LISTING, Refusals
from bookings.api.own_classes import UNCHANGEABLE, OwnClassesBase
from bookings.api.serializers import (
    DaysQuerySerializer,
    PricesSerializer,
    SlotsQuerySerializer,
    SlotsSerializer,
)
from bookings.availability.agenda import load_agenda
from bookings.availability.slots import Agenda
from bookings.domain.classes.changing import refuse_move
from bookings.domain.exceptions import (
    ClassNotFoundError,
    NoPriceError,
    NotHostError,
    OfferOverError,
    OfferUsedError,
)
from bookings.domain.money.prices import ClassOption, list_bookable_options
from bookings.domain.queries import get_class_of
from calendar_sync import CalendarError
from config.lib.api import Refusal, operation

PRICES_FAILED = "No pudimos leer los precios."
NOT_OFFERED = Refusal(404, NoPriceError.text)
REFUSALS: Refusals = {
    NoPriceError: NOT_OFFERED,
    OfferOverError: NOT_OFFERED,
    OfferUsedError: Refusal(409),
}


class PricesView(APIView):
    """No session is needed."""

    permission_classes = [AllowAny]
    server_error, refusals = PRICES_FAILED, REFUSALS

    @operation("listPrices", responses=PricesSerializer)
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

    @operation(
        "listSlots",
        parameters=[SlotsQuerySerializer],
        responses=SlotsSerializer,
        errors=[CalendarError, *REFUSALS],
        texts={400: []},
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
    @operation(
        "listSlotsOfClass",
        parameters=[DaysQuerySerializer],
        responses=SlotsSerializer,
        errors=[NotHostError, ClassNotFoundError, *UNCHANGEABLE, CalendarError],
        texts={400: []},
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
