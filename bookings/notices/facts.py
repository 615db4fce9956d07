"""The lines of a mail: when the class is, how to enter it, what to do next."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import urljoin

from django.conf import settings
from django.db.models import Max
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.selectors import list_providers
from bookings.models import (
    ClassEvent,
    ClassLog,
    Notice,
    NoticeKind,
    Payment,
    WaitingListEntry,
    WaitingState,
    list_awaiting_scheduling,
)
from bookings.notices.returned_money import (
    ReturnState,
    describe_refund,
    find_named_refund,
    list_returned_money,
    sum_parts,
)
from bookings.notices.texts import DRIFTS
from bookings.templatetags.class_times import clock, long_day, pesos

# Whoever got one of these knows when the class was to be.
SAYS_WHEN = [
    NoticeKind.CONFIRMATION,
    NoticeKind.JOINED,
    NoticeKind.RESCHEDULED,
    NoticeKind.ZONE_CHANGED,
    NoticeKind.WAITING_CLASS_MOVED,
]


@dataclass(frozen=True, slots=True)
class Fact:
    """A line of the mail: what it is about, and what there is to know."""

    label: str
    text: str
    is_link: bool = False


def list_facts(notice: Notice) -> list[Fact]:
    """Give what there is to know, in order."""
    facts = (tell(notice) for tell in FACTS[NoticeKind(notice.kind)])
    return [fact for fact in facts if fact is not None]


def name_next_step(notice: Notice) -> Fact:
    """Give the page that the mail leads to."""
    return STEPS[NoticeKind(notice.kind)](notice)


def _when(notice: Notice) -> Fact:
    return Fact(_("Cuándo"), _class_hours(notice))


def _kept_time(notice: Notice) -> Fact | None:
    """Return the time that was kept; the occasion names it, after the hold that is gone."""
    _hold_id, *times = notice.occasion.split(" ")
    if len(times) != 2:
        return None
    start, minutes = times
    begin = datetime.fromtimestamp(int(start), UTC)
    return Fact(_("Cuándo"), _hours(begin, begin + timedelta(minutes=int(minutes))))


def _offered_price(notice: Notice) -> Fact:
    return Fact(_("Precio que nombró"), pesos(notice.require_class().class_price))


def _what_kind(notice: Notice) -> Fact:
    return Fact(_("Qué pidió"), notice.require_class().describe())


def _new_time(notice: Notice) -> Fact:
    return Fact(_("Ahora"), _class_hours(notice))


def _earlier_time(notice: Notice) -> Fact | None:
    """Say which time is no longer true: the one that the reader knows, even after several moves."""
    told = Notice.objects.filter(
        virtual_class=notice.virtual_class, user=notice.user, kind__in=SAYS_WHEN
    ).aggregate(at=Max("sent_at"))
    moves = ClassLog.objects.filter(
        virtual_class=notice.virtual_class, event=ClassEvent.RESCHEDULED
    )
    if told["at"]:
        moves = moves.filter(at__gt=told["at"])
    move = moves.first()
    if move is None:
        return None
    earlier = datetime.fromisoformat(move.details["from"])
    if earlier == notice.require_class().start_time:
        return None  # it moved away and back before anybody was told
    return Fact(_("Antes"), _moment(earlier))


def _time_before(notice: Notice) -> Fact | None:
    """Say from where the class was moved when the mail was promised."""
    moves = ClassLog.objects.filter(
        virtual_class=notice.virtual_class,
        event=ClassEvent.RESCHEDULED,
        at__lte=notice.created_at,
    )
    move = moves.last()
    if move is None:
        return None
    return Fact(_("Antes"), _moment(datetime.fromisoformat(move.details["from"])))


def _video_call(notice: Notice) -> Fact:
    return Fact(_("Videollamada"), notice.require_class().html_link, is_link=True)


def _code(notice: Notice) -> Fact | None:
    """Tell the code to the host alone."""
    virtual_class = notice.require_class()
    if not virtual_class.access_code or not virtual_class.is_hosted_by(notice.user):
        return None
    return Fact(_("Código de acceso"), virtual_class.access_code)


def _invitation(notice: Notice) -> Fact | None:
    """Give the host a link for others, where there is a place for them."""
    virtual_class = notice.require_class()
    if _code(notice) is None or virtual_class.capacity == 1:
        return None
    address = _address("join_with_code", virtual_class.access_code)
    return Fact(_("Para invitar, compartí"), address, is_link=True)


def _page(notice: Notice) -> Fact:
    return Fact(_("Tu clase"), _address("class", notice.virtual_class_id), is_link=True)


def _money(notice: Notice) -> Fact | None:
    """Return how much of the money goes back to the host of a cancelled class, if any does."""
    virtual_class = notice.require_class()
    payment: Payment | None = getattr(virtual_class, "payment", None)
    if payment is None or not virtual_class.is_hosted_by(notice.user):
        return None
    parts = list_returned_money(payment)
    amount = sum_parts(parts, ReturnState.UNDERWAY, ReturnState.DONE)
    if not amount:
        return None
    text = _("Te devolvemos %(amount)s, por el mismo medio con que pagaste.")
    return Fact(_("Tu pago"), text % {"amount": pesos(amount)})


def _class_time(notice: Notice) -> Fact | None:
    """Return the time of the class that the money was for, if one was booked."""
    return Fact(_("Clase"), _class_hours(notice)) if notice.virtual_class else None


def _returned_amount(notice: Notice) -> Fact:
    return Fact(_("Cuánto"), pesos(find_named_refund(notice.occasion).amount))


def _returned_why(notice: Notice) -> Fact:
    part = describe_refund(find_named_refund(notice.occasion))
    return Fact(_("Por qué"), str(part.reason))


def _returned_at(notice: Notice) -> Fact:
    part = describe_refund(find_named_refund(notice.occasion))
    return Fact(_("Cuándo"), _moment(part.at))


def _refund_asked_at(notice: Notice) -> Fact:
    part = describe_refund(find_named_refund(notice.occasion))
    return Fact(_("Cuándo la pedimos"), _moment(part.at))


def _why_money_goes(notice: Notice) -> Fact | None:
    """Return the cause for the teacher, in the words that the person who paid reads."""
    payment: Payment | None = getattr(notice.require_class(), "payment", None)
    parts = list_returned_money(payment) if payment else []
    return Fact(_("Por qué"), str(parts[-1].reason)) if parts else None


def _offer_end(notice: Notice) -> Fact | None:
    """Say until when a place is kept for the reader."""
    offer = _find_offer(notice)
    if offer is None or offer.offer_expires_at is None:
        return None
    return Fact(_("Te lo guardamos hasta"), _moment(offer.offer_expires_at))


def _difference(notice: Notice) -> Fact | None:
    """Tell the teacher what happened to the event, and what to do instead."""
    text = DRIFTS.get(notice.occasion.partition(" ")[0])
    return Fact(_("Qué pasó"), str(text)) if text else None


def _how_to_reconnect(notice: Notice) -> Fact:
    what_to_do = _("Entrá al panel con %(email)s, tocá «Reconectar» y aceptá el permiso.")
    return Fact(_("Qué hacer"), what_to_do % {"email": notice.user.email})


def _what_to_check(notice: Notice) -> Fact:
    what_to_do = _(
        "Fijate en Google Cloud que la cuenta y su clave sigan activas, y en Google Workspace "
        "que siga autorizada la delegación de todo el dominio."
    )
    return Fact(_("Qué hacer"), what_to_do)


def _which_identity(notice: Notice) -> Fact | None:
    """Name the provider: the occasion begins with its id."""
    provider_id = notice.occasion.partition(" ")[0]
    name = next((one.name for one in list_providers() if one.id == provider_id), "")
    return Fact(_("Cuenta de"), name) if name else None


def _waiting_classes(notice: Notice) -> Fact | None:
    """Count who waits for the calendar."""
    waiting = list_awaiting_scheduling(timezone.now()).count()
    return Fact(_("Clases que esperan"), str(waiting)) if waiting else None


def _take_place(notice: Notice) -> Fact:
    offer = _find_offer(notice)
    if offer is None:
        return _book_another(notice)
    return Fact(_("Tomá tu lugar"), _address("claim_place", offer.pk), is_link=True)


def _see_turn(notice: Notice) -> Fact:
    entry = _find_entry(notice)
    if entry is None:
        return _book_another(notice)
    return Fact(_("Mirá tu turno"), _address("claim_place", entry.pk), is_link=True)


def _see_class(notice: Notice) -> Fact:
    return Fact(_("Mirá tu clase"), _address("class", notice.virtual_class_id), is_link=True)


def _enter_video_call(notice: Notice) -> Fact:
    return Fact(_("Entrá a la videollamada"), notice.require_class().html_link, is_link=True)


def _book_another(notice: Notice) -> Fact:
    return Fact(_("Reservá otra clase"), _address("book"), is_link=True)


def _see_own_payment(notice: Notice) -> Fact:
    payment_id = find_named_refund(notice.occasion).charge.payment_id
    return Fact(_("Mirá el pago"), _address("payment", payment_id), is_link=True)


def _choose_another_time(notice: Notice) -> Fact:
    return Fact(_("Elegí otro horario"), _address("book"), is_link=True)


def _decide_price(notice: Notice) -> Fact:
    return _panel(_("Decidí si la das"), "bookings_virtualclass_change", notice.virtual_class_id)


def _see_payments(notice: Notice) -> Fact:
    return _panel(_("Mirá los pagos"), "bookings_payment_changelist")


def _see_class_in_panel(notice: Notice) -> Fact:
    return _panel(_("Mirá la clase"), "bookings_virtualclass_change", notice.virtual_class_id)


def _see_people(notice: Notice) -> Fact:
    return _panel(_("Mirá las cuentas"), "accounts_user_changelist")


def _see_endpoints(notice: Notice) -> Fact:
    return _panel(_("Mirá los receptores"), "bookings_webhookendpoint_changelist")


def _see_calendar(notice: Notice) -> Fact:
    return _panel(_("Mirá el calendario"), "calendar")


def _see_profile(notice: Notice) -> Fact:
    return Fact(_("Mirá tu perfil"), urljoin(settings.BASE_URL, reverse("profile")), is_link=True)


def _reconnect(notice: Notice) -> Fact:
    return _panel(_("Reconectá tu calendario"), "calendar")


FACTS: dict[NoticeKind, tuple[Callable[[Notice], Fact | None], ...]] = {
    NoticeKind.CONFIRMATION: (_when, _video_call, _code, _invitation),
    NoticeKind.JOINED: (_when, _video_call),
    NoticeKind.CANCELLED: (_when, _money),
    NoticeKind.RESCHEDULED: (_earlier_time, _new_time, _video_call, _code),
    NoticeKind.ZONE_CHANGED: (_when, _video_call, _code),
    # Not the link: it is for those who have a place.
    NoticeKind.WAITING_CLASS_MOVED: (_time_before, _new_time),
    NoticeKind.LINK_CHANGED: (_when, _video_call),
    NoticeKind.LEFT: (_when,),
    NoticeKind.GUEST_LEFT: (_when,),
    NoticeKind.STUDENT_MOVED: (_time_before, _new_time),
    NoticeKind.STUDENT_CANCELLED: (_when,),
    NoticeKind.REMINDER_DAY: (_when, _video_call, _code),
    NoticeKind.REMINDER_HOUR: (_when, _video_call, _code, _page),
    NoticeKind.PLACE_OFFERED: (_when, _offer_end),
    NoticeKind.MONEY_RETURNED: (_returned_amount, _returned_why, _returned_at, _class_time),
    NoticeKind.REFUND_FAILED: (_returned_amount, _returned_why, _refund_asked_at, _class_time),
    NoticeKind.TO_REVIEW: (_when,),
    NoticeKind.MONEY_BACK: (_when, _why_money_goes),
    NoticeKind.UNBOOKED_TO_REVIEW: (),
    NoticeKind.HOLD_LOST: (_kept_time,),
    NoticeKind.PRICE_TO_DECIDE: (_when, _what_kind, _offered_price),
    NoticeKind.CALENDAR_CHANGED: (_when, _difference),
    NoticeKind.GRANT_REVOKED: (_how_to_reconnect, _waiting_classes),
    NoticeKind.ACCOUNT_REFUSED: (_what_to_check, _waiting_classes),
    NoticeKind.GRANT_AT_RISK: (_how_to_reconnect,),
    NoticeKind.GUESSING: (),
    NoticeKind.WEBHOOK_DISABLED: (),
    NoticeKind.IDENTITY_ADDED: (_which_identity,),
    NoticeKind.IDENTITY_REMOVED: (_which_identity,),
}
STEPS: dict[NoticeKind, Callable[[Notice], Fact]] = {
    NoticeKind.CONFIRMATION: _see_class,
    NoticeKind.JOINED: _see_class,
    NoticeKind.CANCELLED: _book_another,
    NoticeKind.RESCHEDULED: _see_class,
    NoticeKind.ZONE_CHANGED: _see_class,
    NoticeKind.WAITING_CLASS_MOVED: _see_turn,
    NoticeKind.LINK_CHANGED: _see_class,
    NoticeKind.LEFT: _book_another,
    NoticeKind.GUEST_LEFT: _see_class,
    NoticeKind.STUDENT_MOVED: _see_class_in_panel,
    NoticeKind.STUDENT_CANCELLED: _see_class_in_panel,
    NoticeKind.REMINDER_DAY: _see_class,
    NoticeKind.REMINDER_HOUR: _enter_video_call,
    NoticeKind.PLACE_OFFERED: _take_place,
    NoticeKind.MONEY_RETURNED: _see_own_payment,
    NoticeKind.REFUND_FAILED: _see_own_payment,
    NoticeKind.TO_REVIEW: _see_payments,
    NoticeKind.MONEY_BACK: _see_payments,
    NoticeKind.UNBOOKED_TO_REVIEW: _see_payments,
    NoticeKind.HOLD_LOST: _choose_another_time,
    NoticeKind.PRICE_TO_DECIDE: _decide_price,
    NoticeKind.CALENDAR_CHANGED: _see_class_in_panel,
    NoticeKind.GRANT_REVOKED: _reconnect,
    NoticeKind.ACCOUNT_REFUSED: _see_calendar,
    NoticeKind.GRANT_AT_RISK: _reconnect,
    NoticeKind.GUESSING: _see_people,
    NoticeKind.WEBHOOK_DISABLED: _see_endpoints,
    NoticeKind.IDENTITY_ADDED: _see_profile,
    NoticeKind.IDENTITY_REMOVED: _see_profile,
}


def _find_offer(notice: Notice) -> WaitingListEntry | None:
    entry = _find_entry(notice)
    return entry if entry and entry.state == WaitingState.OFFERED else None


def _find_entry(notice: Notice) -> WaitingListEntry | None:
    return WaitingListEntry.objects.filter(
        virtual_class=notice.virtual_class, user=notice.user
    ).first()


def _class_hours(notice: Notice) -> str:
    virtual_class = notice.require_class()
    return _hours(virtual_class.start_time, virtual_class.end_time)


def _hours(start: datetime, end: datetime) -> str:
    return _("%(day)s, de %(start)s a %(end)s (hora de Argentina)") % {
        "day": long_day(start),
        "start": clock(start),
        "end": clock(end),
    }


def _moment(value: datetime) -> str:
    return f"{long_day(value)}, {clock(value)}"


def _address(name: str, *arguments: object) -> str:
    return settings.BASE_URL + reverse(f"bookings:{name}", args=arguments)


def _panel(label: str, name: str, *arguments: object) -> Fact:
    return Fact(label, settings.BASE_URL + reverse(f"admin:{name}", args=arguments), is_link=True)
