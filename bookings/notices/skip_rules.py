"""Rules that skip an obsolete mail: each returns the reason, or an empty string."""

import uuid
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, TypedDict

from django.db.models import Exists, OuterRef, Subquery
from django.utils import timezone

from accounts.models import UserStatus
from bookings.models import (
    SERVICE_ACCOUNT,
    Heartbeat,
    Notice,
    UserActivity,
    WaitingListEntry,
    WaitingState,
)
from bookings.notices.returned_money import find_named_refund, is_owed

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

OVER = "La clase ya había terminado."
NOT_SCHEDULED = "La clase ya no estaba agendada."
NOT_IN_CLASS = "La persona ya no estaba en la clase."
BACK_IN_CLASS = "La persona volvió a la clase."
MOVED = "La clase cambió de horario."
REPLACED = "Un correo posterior lo reemplaza."
TOO_LATE = "Era tarde para recordar la clase."
NOT_IN_LINE = "La persona ya no esperaba un lugar."
OFFER_OVER = "El lugar ya no se ofrecía."
ERASED = "La persona borró su cuenta."
DECIDED = "La profe ya había decidido."
REFUNDED_SINCE = "La devolución se pidió de nuevo o se hizo de otra manera."
RECONNECTED = "El calendario ya se había reconectado."


class _Annotations(TypedDict):
    is_in_class: bool
    is_in_line: bool
    offered_until: datetime | None
    is_replaced: bool


if TYPE_CHECKING:
    NoticeToSend = WithAnnotations[Notice, _Annotations]
else:
    NoticeToSend = Notice

SkipRule = Callable[["NoticeToSend"], str]


def load_notice(notice_id: uuid.UUID) -> "NoticeToSend | None":
    """Load a notice with everything that its mail and the rules need, in one statement."""
    place = UserActivity.objects.filter(
        virtual_class=OuterRef("virtual_class"), user=OuterRef("user")
    )
    turn = WaitingListEntry.objects.filter(
        virtual_class=OuterRef("virtual_class"), user=OuterRef("user")
    )
    offer = turn.filter(state=WaitingState.OFFERED)
    later = Notice.objects.filter(
        virtual_class=OuterRef("virtual_class"),
        user=OuterRef("user"),
        kind=OuterRef("kind"),
        created_at__gt=OuterRef("created_at"),
        # A clock that was ahead wrote a notice with a future time: it replaces nothing.
        created_at__lte=timezone.now(),
    )
    notices = Notice.objects.select_related(
        "user", "virtual_class__booked_by", "virtual_class__payment"
    ).annotate(
        is_in_class=Exists(place),
        is_in_line=Exists(turn.filter(state__in=[WaitingState.WAITING, WaitingState.OFFERED])),
        offered_until=Subquery(offer.values("offer_expires_at")[:1]),
        is_replaced=Exists(later),
    )
    return notices.filter(pk=notice_id).first()


def erased(notice: "NoticeToSend") -> str:
    return ERASED if notice.user.status == UserStatus.ERASED else ""


def over(notice: "NoticeToSend") -> str:
    return OVER if notice.require_class().has_ended() else ""


def not_scheduled(notice: "NoticeToSend") -> str:
    return "" if notice.require_class().is_scheduled else NOT_SCHEDULED


def not_in_class(notice: "NoticeToSend") -> str:
    return "" if notice.is_in_class else NOT_IN_CLASS


def not_in_line(notice: "NoticeToSend") -> str:
    return "" if notice.is_in_line and not notice.is_in_class else NOT_IN_LINE


def back_in_class(notice: "NoticeToSend") -> str:
    return BACK_IN_CLASS if notice.is_in_class else ""


def replaced(notice: "NoticeToSend") -> str:
    """Skip all but the last mail of a kind to a person about a class."""
    return REPLACED if notice.is_replaced else ""


def offer_over(notice: "NoticeToSend") -> str:
    until = notice.offered_until
    return "" if until is not None and until > timezone.now() else OFFER_OVER


def price_decided(notice: "NoticeToSend") -> str:
    return "" if notice.require_class().is_undecided else DECIDED


def refund_settled(notice: "NoticeToSend") -> str:
    return "" if is_owed(find_named_refund(notice.occasion)) else REFUNDED_SINCE


def reconnected(notice: "NoticeToSend") -> str:
    saved_at = notice.user.provider_token_saved_at
    return RECONNECTED if saved_at is not None and saved_at > notice.created_at else ""


def account_accepted(notice: "NoticeToSend") -> str:
    is_refused = Heartbeat.objects.filter(name=SERVICE_ACCOUNT, failed_at__isnull=False).exists()
    return "" if is_refused else RECONNECTED
