"""The lines of a mail: when the class is, how to enter it, what happened to the money."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

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
from bookings.notices.drifts import DRIFTS
from bookings.notices.returned_money import (
    ReturnState,
    describe_refund,
    find_named_refund,
    list_returned_money,
    sum_parts,
)
from bookings.templatetags.class_times import clock, long_day, pesos

# A reader of one of these mails knows the time that it names.
SAYS_WHEN = [
    NoticeKind.CONFIRMATION,
    NoticeKind.JOINED,
    NoticeKind.RESCHEDULED,
    NoticeKind.ZONE_CHANGED,
    NoticeKind.WAITING_CLASS_MOVED,
]


@dataclass(frozen=True, slots=True)
class Fact:
    """A line of a mail."""

    label: str
    text: str
    is_link: bool = False


# None where the notice has no such fact.
FactRule = Callable[[Notice], Fact | None]


def when(notice: Notice) -> Fact:
    return Fact(_("Cuándo"), _class_hours(notice))


def new_time(notice: Notice) -> Fact:
    return Fact(_("Ahora"), _class_hours(notice))


def known_time(notice: Notice) -> Fact | None:
    """Return the last time that the reader knows, even after several moves."""
    known = Notice.objects.filter(
        virtual_class=notice.virtual_class, user=notice.user, kind__in=SAYS_WHEN
    ).aggregate(at=Max("sent_at"))
    moves = ClassLog.objects.filter(
        virtual_class=notice.virtual_class, event=ClassEvent.RESCHEDULED
    )
    if known["at"]:
        moves = moves.filter(at__gt=known["at"])
    move = moves.first()
    if move is None:
        return None
    earlier = datetime.fromisoformat(move.details["from"])
    if earlier == notice.require_class().start_time:
        return None  # the class moved away and back before a mail left
    return Fact(_("Antes"), _moment(earlier))


def time_before(notice: Notice) -> Fact | None:
    """Return the start before the move that this notice is about."""
    move = ClassLog.objects.filter(
        virtual_class=notice.virtual_class,
        event=ClassEvent.RESCHEDULED,
        at__lte=notice.created_at,
    ).last()
    if move is None:
        return None
    return Fact(_("Antes"), _moment(datetime.fromisoformat(move.details["from"])))


def held_time(notice: Notice) -> Fact | None:
    """Return the time of a lost hold, from the occasion: hold id, start (epoch), minutes."""
    _hold_id, *times = notice.occasion.split(" ")
    if len(times) != 2:
        return None
    start, minutes = times
    begin = datetime.fromtimestamp(int(start), UTC)
    return Fact(_("Cuándo"), _hours(begin, begin + timedelta(minutes=int(minutes))))


def paid_class_time(notice: Notice) -> Fact | None:
    """Return the time of the class that the money was for, if one was booked."""
    return Fact(_("Clase"), _class_hours(notice)) if notice.virtual_class else None


def offer_end(notice: Notice) -> Fact | None:
    """Return until when a place is offered to the reader."""
    offer = find_offer(notice)
    if offer is None or offer.offer_expires_at is None:
        return None
    return Fact(_("Te lo guardamos hasta"), _moment(offer.offer_expires_at))


def video_call(notice: Notice) -> Fact:
    return Fact(_("Videollamada"), notice.require_class().html_link, is_link=True)


def access_code(notice: Notice) -> Fact | None:
    """Return the access code; only the host gets it."""
    virtual_class = notice.require_class()
    if not virtual_class.access_code or not virtual_class.is_hosted_by(notice.user):
        return None
    return Fact(_("Código de acceso"), virtual_class.access_code)


def invitation(notice: Notice) -> Fact | None:
    """Return a link for guests; only the host of a class for several gets it."""
    virtual_class = notice.require_class()
    if access_code(notice) is None or virtual_class.capacity == 1:
        return None
    address = site_address("bookings:join_with_code", virtual_class.access_code)
    return Fact(_("Para invitar, compartí"), address, is_link=True)


def class_page(notice: Notice) -> Fact:
    address = site_address("bookings:class", notice.virtual_class_id)
    return Fact(_("Tu clase"), address, is_link=True)


def class_description(notice: Notice) -> Fact:
    return Fact(_("Qué pidió"), notice.require_class().describe())


def offered_price(notice: Notice) -> Fact:
    return Fact(_("Precio que nombró"), pesos(notice.require_class().class_price))


def money_back(notice: Notice) -> Fact | None:
    """Return the sum that goes back to the host of a cancelled class, if any."""
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


def refund_amount(notice: Notice) -> Fact:
    return Fact(_("Cuánto"), pesos(find_named_refund(notice.occasion).amount))


def refund_reason(notice: Notice) -> Fact:
    part = describe_refund(find_named_refund(notice.occasion))
    return Fact(_("Por qué"), str(part.reason))


def refunded_at(notice: Notice) -> Fact:
    part = describe_refund(find_named_refund(notice.occasion))
    return Fact(_("Cuándo"), _moment(part.at))


def refund_requested_at(notice: Notice) -> Fact:
    part = describe_refund(find_named_refund(notice.occasion))
    return Fact(_("Cuándo la pedimos"), _moment(part.at))


def last_reason(notice: Notice) -> Fact | None:
    """Return why money of the class's payment went back last."""
    payment: Payment | None = getattr(notice.require_class(), "payment", None)
    parts = list_returned_money(payment) if payment else []
    return Fact(_("Por qué"), str(parts[-1].reason)) if parts else None


def drift(notice: Notice) -> Fact | None:
    """Return how the event differs from the class."""
    text = DRIFTS.get(notice.occasion.partition(" ")[0])
    return Fact(_("Qué pasó"), str(text)) if text else None


def how_to_reconnect(notice: Notice) -> Fact:
    what_to_do = _("Entrá al panel con %(email)s, tocá «Reconectar» y aceptá el permiso.")
    return Fact(_("Qué hacer"), what_to_do % {"email": notice.user.email})


def what_to_check(notice: Notice) -> Fact:
    what_to_do = _(
        "Fijate en Google Cloud que la cuenta y su clave sigan activas, y en Google Workspace "
        "que siga autorizada la delegación de todo el dominio."
    )
    return Fact(_("Qué hacer"), what_to_do)


def waiting_classes(notice: Notice) -> Fact | None:
    """Return how many classes cannot be scheduled now."""
    waiting = list_awaiting_scheduling(timezone.now()).count()
    return Fact(_("Clases que esperan"), str(waiting)) if waiting else None


def identity(notice: Notice) -> Fact | None:
    """Return the sign-in provider, whose id is the first word of the occasion."""
    provider_id = notice.occasion.partition(" ")[0]
    name = next((one.name for one in list_providers() if one.id == provider_id), "")
    return Fact(_("Cuenta de"), name) if name else None


def find_offer(notice: Notice) -> WaitingListEntry | None:
    """Return the reader's live offer of a place."""
    entry = find_entry(notice)
    return entry if entry and entry.state == WaitingState.OFFERED else None


def find_entry(notice: Notice) -> WaitingListEntry | None:
    """Return the reader's entry in the waiting list."""
    return WaitingListEntry.objects.filter(
        virtual_class=notice.virtual_class, user=notice.user
    ).first()


def site_address(name: str, *arguments: object) -> str:
    """Return the absolute URL of a page."""
    return settings.BASE_URL + reverse(name, args=arguments)


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
