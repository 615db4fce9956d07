"""Whether a mail is still of use: one rule for each kind, looked at right before it leaves.

Mails are due at a moment and may leave late. A late one is sent as long as it tells its reader
something that is true and that they can still act on; otherwise it is given up, and its row says
why.
"""

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
    NoticeKind,
    UserActivity,
    WaitingListEntry,
    WaitingState,
)
from bookings.notices.reminder_times import find_useful_end, name_occasion
from bookings.notices.returned_money import find_named_refund, is_owed

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

OVER = "La clase ya había terminado."
NOT_SCHEDULED = "La clase ya no estaba agendada."
NOT_IN_CLASS = "La persona ya no estaba en la clase."
BACK_IN_CLASS = "La persona volvió a la clase."
MOVED = "La clase cambió de horario."
TOLD_BY_LATER_MAIL = "Un correo posterior lo reemplaza."
TOO_LATE = "Era tarde para recordar la clase."
NOT_IN_LINE = "La persona ya no esperaba un lugar."
OFFER_OVER = "El lugar ya no se ofrecía."
ERASED = "La persona borró su cuenta."
DECIDED = "La profe ya había decidido."
REFUNDED_SINCE = "La devolución se pidió de nuevo o se hizo de otra manera."
RECONNECTED = "El calendario ya se había reconectado."


class _Standing(TypedDict):
    """What the rules ask the database: the reader's place, turn and offer, a later mail."""

    is_in_class: bool
    is_in_line: bool
    offered_until: datetime | None
    is_overtaken: bool


if TYPE_CHECKING:
    NoticeToSend = WithAnnotations[Notice, _Standing]
else:
    NoticeToSend = Notice


def load_notice(notice_id: uuid.UUID) -> "NoticeToSend | None":
    """Read a notice, and everything that its mail and the rules need, in one statement."""
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
        # One from the future was written by a clock that was ahead: this one is later.
        created_at__lte=timezone.now(),
    )
    notices = Notice.objects.select_related(
        "user", "virtual_class__booked_by", "virtual_class__payment"
    ).annotate(
        is_in_class=Exists(place),
        is_in_line=Exists(turn.filter(state__in=[WaitingState.WAITING, WaitingState.OFFERED])),
        offered_until=Subquery(offer.values("offer_expires_at")[:1]),
        is_overtaken=Exists(later),
    )
    return notices.filter(pk=notice_id).first()


def reason_to_skip(notice: "NoticeToSend") -> str:
    """Say why a mail is of no use any more; nothing when it is."""
    if notice.user.status == UserStatus.ERASED:
        return ERASED
    reasons = (check(notice) for check in RULES[NoticeKind(notice.kind)])
    return next(filter(None, reasons), "")


def _unless_over(notice: "NoticeToSend") -> str:
    return OVER if notice.require_class().has_ended() else ""


def _while_scheduled(notice: "NoticeToSend") -> str:
    return "" if notice.require_class().is_scheduled else NOT_SCHEDULED


def _to_participants(notice: "NoticeToSend") -> str:
    return "" if notice.is_in_class else NOT_IN_CLASS


def _while_in_line(notice: "NoticeToSend") -> str:
    return "" if notice.is_in_line and not notice.is_in_class else NOT_IN_LINE


def _to_those_outside(notice: "NoticeToSend") -> str:
    return BACK_IN_CLASS if notice.is_in_class else ""


def _unless_told_since(notice: "NoticeToSend") -> str:
    return TOLD_BY_LATER_MAIL if notice.is_overtaken else ""


def _of_this_start(notice: "NoticeToSend") -> str:
    start = notice.require_class().start_time
    return "" if notice.occasion == name_occasion(start) else MOVED


def _in_time(notice: "NoticeToSend") -> str:
    end = find_useful_end(NoticeKind(notice.kind), notice.require_class().start_time)
    return TOO_LATE if timezone.now() >= end else ""


def _while_offered(notice: "NoticeToSend") -> str:
    until = notice.offered_until
    return "" if until is not None and until > timezone.now() else OFFER_OVER


def _while_undecided(notice: "NoticeToSend") -> str:
    return "" if notice.require_class().is_undecided else DECIDED


def _while_refund_is_owed(notice: "NoticeToSend") -> str:
    return "" if is_owed(find_named_refund(notice.occasion)) else REFUNDED_SINCE


def _until_reconnected(notice: "NoticeToSend") -> str:
    saved_at = notice.user.provider_token_saved_at
    return RECONNECTED if saved_at is not None and saved_at > notice.created_at else ""


def _until_accepted(notice: "NoticeToSend") -> str:
    is_refused = Heartbeat.objects.filter(name=SERVICE_ACCOUNT, failed_at__isnull=False).exists()
    return "" if is_refused else RECONNECTED


Check = Callable[["NoticeToSend"], str]
_ABOUT_A_PLACE: tuple[Check, ...] = (_unless_over, _while_scheduled, _to_participants)
# Each check gives the reason to give the mail up, or nothing. Without checks, it leaves however
# late: somebody's money comes back, or something waits for the teacher.
RULES: dict[NoticeKind, tuple[Check, ...]] = {
    NoticeKind.CONFIRMATION: _ABOUT_A_PLACE,
    NoticeKind.JOINED: (*_ABOUT_A_PLACE, _unless_told_since),
    NoticeKind.RESCHEDULED: (*_ABOUT_A_PLACE, _unless_told_since),
    NoticeKind.ZONE_CHANGED: (*_ABOUT_A_PLACE, _unless_told_since),
    NoticeKind.WAITING_CLASS_MOVED: (
        _unless_over,
        _while_scheduled,
        _while_in_line,
        _unless_told_since,
    ),
    NoticeKind.LINK_CHANGED: (*_ABOUT_A_PLACE, _unless_told_since),
    NoticeKind.REMINDER_DAY: (*_ABOUT_A_PLACE, _of_this_start, _in_time),
    NoticeKind.REMINDER_HOUR: (*_ABOUT_A_PLACE, _of_this_start, _in_time),
    NoticeKind.LEFT: (_unless_over, _to_those_outside, _unless_told_since),
    NoticeKind.GUEST_LEFT: (_unless_over, _while_scheduled),
    NoticeKind.STUDENT_MOVED: (_unless_over, _while_scheduled, _unless_told_since),
    NoticeKind.STUDENT_CANCELLED: (),
    NoticeKind.PLACE_OFFERED: (
        _unless_over,
        _while_scheduled,
        _while_offered,
        _unless_told_since,
    ),
    NoticeKind.CANCELLED: (),
    NoticeKind.MONEY_RETURNED: (),
    NoticeKind.REFUND_FAILED: (_while_refund_is_owed,),
    NoticeKind.HOLD_LOST: (),
    NoticeKind.PRICE_TO_DECIDE: (_unless_over, _while_undecided),
    NoticeKind.TO_REVIEW: (),
    NoticeKind.MONEY_BACK: (),
    NoticeKind.UNBOOKED_TO_REVIEW: (),
    NoticeKind.CALENDAR_CHANGED: (),
    NoticeKind.GRANT_REVOKED: (_until_reconnected,),
    NoticeKind.ACCOUNT_REFUSED: (_until_reconnected, _until_accepted),
    NoticeKind.GRANT_AT_RISK: (_until_reconnected,),
    NoticeKind.GUESSING: (),
    NoticeKind.WEBHOOK_DISABLED: (),
    NoticeKind.IDENTITY_ADDED: (),
    NoticeKind.IDENTITY_REMOVED: (),
}
