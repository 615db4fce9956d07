"""The lines of a mail."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from django.conf import settings
from django.db.models import Max, Prefetch, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.selectors import list_ways_to_sign_in, signs_in_without_google_address
from bookings.models import (
    BankTransfer,
    ClassEvent,
    ClassLink,
    ClassLog,
    Message,
    MinimumDecision,
    Notice,
    NoticeKind,
    Purchase,
    Refund,
    RefundReason,
    VirtualClass,
    WaitingListEntry,
    find_open_class,
    find_same_numbers,
    meet_refused_at,
)
from bookings.money_state import REASONS, ReturnedMoney, describe_refund
from bookings.templatetags.class_times import clock, long_day, pesos, price_note

OTHERS_NAMED = 10
# Mails that name the class's time: from then on the reader knows it.
SAYS_WHEN = [
    NoticeKind.CONFIRMATION,
    NoticeKind.JOINED,
    NoticeKind.RESCHEDULED,
    NoticeKind.ZONE_CHANGED,
    NoticeKind.WAITING_CLASS_MOVED,
]


class Line(NamedTuple):
    """Left out of the mail if its text is empty."""

    label: Promise
    find_text: Callable[[Notice], str]
    is_link: bool = False


def with_subjects(notices: QuerySet[Notice]) -> QuerySet[Notice]:
    """Read the notices with their readers, classes and purchases."""
    purchases = Purchase.objects.select_related("payment")
    about = ("virtual_class__booked_by", "virtual_class__open_class", "virtual_class__offer")
    return notices.select_related("user", *about).prefetch_related(
        Prefetch("virtual_class__purchases", purchases)
    )


def _class_hours(notice: Notice) -> str:
    virtual_class = notice.require_class()
    return _hours(virtual_class.start_time, virtual_class.end_time)


def _offer_name(notice: Notice) -> str:
    offer = notice.require_class().offer
    return offer.shown_name if offer else ""


def _known_time(notice: Notice) -> str:
    # The last time that the reader knows, even after several moves.
    virtual_class = notice.require_class()
    mails = virtual_class.notices.filter(user=notice.user, kind__in=SAYS_WHEN)
    moves = virtual_class.log.filter(event=ClassEvent.RESCHEDULED)
    if known_at := mails.aggregate(at=Max("sent_at"))["at"]:
        moves = moves.filter(at__gt=known_at)
    earlier = _time_before(moves.first())
    # The class may have moved away and back before a mail left.
    return _moment(earlier) if earlier and earlier != virtual_class.start_time else ""


def _time_before_this(notice: Notice) -> str:
    moves = notice.require_class().log.filter(event=ClassEvent.RESCHEDULED)
    earlier = _time_before(moves.filter(at__lte=notice.created_at).last())
    return _moment(earlier) if earlier else ""


def _time_before(move: ClassLog | None) -> datetime | None:
    return datetime.fromisoformat(move.details["from"]) if move else None


def _held_time(notice: Notice) -> str:
    # The occasion: the hold's id, then its start (epoch) and minutes.
    _hold_id, start, minutes = notice.occasion.split(" ")
    begin = datetime.fromtimestamp(int(start), UTC)
    return _hours(begin, begin + timedelta(minutes=int(minutes)))


def _offer_end(notice: Notice) -> str:
    entry = find_entry(notice)
    return _moment(entry.offer_expires_at) if entry and entry.offer_expires_at else ""


def must_knock(user: User) -> bool:
    """True if the teacher has to let the person into the meeting."""
    is_open = settings.MEET_ACCESS == "open" and meet_refused_at() is None
    return not is_open and (user.is_placeholder or signs_in_without_google_address(user))


def _how_to_enter(notice: Notice) -> str:
    if notice.user.is_placeholder and must_knock(notice.user):
        return gettext("Abrí el enlace unos minutos antes, pedí entrar y esperá a tu profe.")
    text = _(
        "Vas a tener que pedir entrar, porque tu correo no es de una cuenta de Google: abrí el "
        "enlace y esperá a que tu profe te deje pasar."
    )
    return str(text) if must_knock(notice.user) else ""


def _access_code(notice: Notice) -> str:
    # Only the host gets it, and only for a class that others can join.
    virtual_class = notice.require_class()
    has_code = virtual_class.takes_guests and virtual_class.is_hosted_by(notice.user)
    return (virtual_class.access_code or "") if has_code else ""


def _invitation(notice: Notice) -> str:
    code = _access_code(notice)
    return site_address("bookings:join_with_code", code) if code else ""


def _open_class(notice: Notice) -> str:
    open_class = find_open_class(notice.virtual_class)
    return open_class.shown_title if open_class else ""


def _people_so_far(notice: Notice) -> str:
    open_class = find_open_class(notice.virtual_class)
    people = notice.require_class().guest_count
    text = gettext("%(people)d de %(minimum)d")
    return text % {"people": people, "minimum": open_class.minimum} if open_class else ""


def _decided_at(notice: Notice) -> str:
    open_class = find_open_class(notice.virtual_class)
    return _moment(open_class.decides_at) if open_class else ""


def _decision(notice: Notice) -> str:
    open_class = find_open_class(notice.virtual_class)
    if open_class is None:
        return ""
    if open_class.decision == MinimumDecision.CALLED_OFF:
        return gettext("No se llegó al mínimo: se canceló, y vuelve lo que pagaron.")
    return gettext("Se da.")


def _places_taken(notice: Notice) -> str:
    open_class = find_open_class(notice.virtual_class)
    people = notice.require_class().guest_count
    text = gettext("%(people)d de %(places)d")
    return text % {"people": people, "places": open_class.places} if open_class else ""


def _why_called_off(notice: Notice) -> str:
    open_class = find_open_class(notice.virtual_class)
    is_called_off = open_class and open_class.decision == MinimumDecision.CALLED_OFF
    return str(REASONS[RefundReason.BELOW_MINIMUM]) if is_called_off else ""


def _price_note(notice: Notice) -> str:
    purchase = notice.require_class().purchase
    is_theirs = purchase is not None and purchase.person_id == notice.user_id
    return price_note(purchase if is_theirs else None)


def _refund(notice: Notice) -> ReturnedMoney:
    return describe_refund(Refund.objects.named(notice.occasion))


def _how_to_reconnect(notice: Notice) -> str:
    text = _("Entrá al panel con %(email)s, tocá «Reconectar» y aceptá el permiso.")
    return str(text) % {"email": notice.user.email}


def _pay_until(notice: Notice) -> str:
    purchase = notice.require_class().purchase
    return _moment(purchase.kept_until) if purchase and purchase.kept_until else ""


def find_entry(notice: Notice) -> WaitingListEntry | None:
    return notice.require_class().waiting_list.filter(user=notice.user).first()


def find_transfer(notice: Notice) -> BankTransfer:
    """Raises BankTransfer.DoesNotExist."""
    return BankTransfer.objects.select_related("purchase__person").get(pk=notice.occasion)


def find_place(notice: Notice) -> Purchase:
    """Raises Purchase.DoesNotExist."""
    return Purchase.objects.select_related("person", "payment").get(pk=notice.occasion)


def find_leaver(notice: Notice) -> User:
    """Raises User.DoesNotExist."""
    return User.objects.get(pk=notice.occasion.partition(" ")[0])


def _same_number(notice: Notice) -> str:
    text = _("Otra transferencia tiene el mismo número de operación: mirala antes de confirmar.")
    transfer = find_transfer(notice)
    return str(text) if find_same_numbers([transfer])[transfer.pk] else ""


def _other_transfers(notice: Notice) -> str:
    waiting = BankTransfer.objects.announced().select_related("purchase__person")
    others = waiting.exclude(pk=notice.occasion).order_by("-announced_at")
    count = others.count()
    shown = others[:OTHERS_NAMED]
    named = ", ".join(f"{one.purchase.person} ({pesos(one.amount)})" for one in shown)
    if count <= OTHERS_NAMED:
        return named
    return gettext("%(named)s y %(more)d más") % {"named": named, "more": count - OTHERS_NAMED}


def _all_transfers(notice: Notice) -> str:
    return site_address("admin:transfers") if _other_transfers(notice) else ""


def _lapsing_person(notice: Notice) -> str:
    person = User.objects.filter(pk=notice.occasion.partition(" ")[2]).first()
    return f"{person} ({person.mail_address})" if person else ""


def find_message(notice: Notice) -> Message | None:
    if notice.kind != NoticeKind.MESSAGE:
        return None
    return Message.objects.get(pk=notice.occasion)


def site_address(name: str, *arguments: object) -> str:
    return settings.BASE_URL + reverse(name, args=arguments)


def class_address(virtual_class: VirtualClass, user: User) -> str:
    """Return the page of a class that the person can open: without an account, by its link."""
    if not user.is_placeholder:
        return site_address("bookings:class", virtual_class.pk)
    return link_address(virtual_class) or site_address("bookings:landing")


def link_address(virtual_class: VirtualClass) -> str:
    """Return "" if the class has no link, or a student claimed it."""
    link = ClassLink.objects.filter(pk=virtual_class.pk, claimed_by=None).first()
    return site_address("bookings:class_link", link.token) if link else ""


def _class_kind(notice: Notice) -> str:
    asked = notice.require_class()
    kind = f"{asked.get_class_type_display()}, {asked.minutes} min"
    if not asked.takes_guests:
        return kind
    return gettext("%(kind)s, hasta %(people)d personas") % {"kind": kind, "people": asked.capacity}


def _claimer(notice: Notice) -> str:
    claimer = notice.require_class().link.claimed_by
    return f"{claimer} ({claimer.mail_address})" if claimer else ""


def _written_down(notice: Notice) -> str:
    person = notice.require_class().link.made_for
    return f"{person} ({person.phone or person.mail_address})" if person else ""


def _hours(start: datetime, end: datetime) -> str:
    return str(_("%(day)s, de %(start)s a %(end)s (hora de Argentina)")) % {
        "day": long_day(start),
        "start": clock(start),
        "end": clock(end),
    }


def _moment(value: datetime) -> str:
    return f"{long_day(value)}, {clock(value)}"


offer = Line(_("Clase"), _offer_name)
when = Line(_("Cuándo"), _class_hours)
new_time = Line(_("Ahora"), _class_hours)
known_time = Line(_("Antes"), _known_time)
time_before = Line(_("Antes"), _time_before_this)
held_time = Line(_("Cuándo"), _held_time)
open_class = Line(_("Clase abierta"), _open_class)
people_so_far = Line(_("Personas anotadas"), _people_so_far)
places_taken = Line(_("Lugares tomados"), _places_taken)
decision = Line(_("Qué se decidió"), _decision)
decided_at = Line(_("Se decide"), _decided_at)
why_called_off = Line(_("Por qué"), _why_called_off)
class_time = Line(_("Clase"), lambda one: _class_hours(one) if one.virtual_class else "")
offer_end = Line(_("Te lo guardamos hasta"), _offer_end)
video_call = Line(_("Videollamada"), lambda one: one.require_class().html_link, is_link=True)
how_to_enter = Line(_("Para entrar"), _how_to_enter)
access_code = Line(_("Código de acceso"), _access_code)
invitation = Line(_("Para invitar, compartí"), _invitation, is_link=True)
class_page = Line(
    _("Tu clase"), lambda one: class_address(one.require_class(), one.user), is_link=True
)
claimer = Line(_("Quién la guardó"), _claimer)
written_down = Line(_("Para quién la reservaste"), _written_down)
class_kind = Line(_("Qué pidió"), _class_kind)
purpose = Line(_("Qué quiere practicar"), lambda one: one.require_class().learning_focus)
place_price = Line(_("Precio"), lambda one: pesos(find_place(one).price))
place_holder = Line(_("Quién"), lambda one: str(find_place(one).person))
leaver = Line(_("Quién"), lambda one: str(find_leaver(one)))
host = Line(_("Quién"), lambda one: str(one.require_class().booked_by))
price_note_of_class = Line(_("Descuento"), _price_note)
pay_until = Line(_("Te la guardamos hasta"), _pay_until)
transfer_sender = Line(_("De quién"), lambda one: str(find_transfer(one).purchase.person))
transfer_amount = Line(_("Cuánto"), lambda one: pesos(find_transfer(one).amount))
operation_number = Line(_("N.º de operación"), lambda one: find_transfer(one).operation_number)
other_transfers = Line(_("También esperan"), _other_transfers)
all_transfers = Line(_("Miralas todas"), _all_transfers, is_link=True)
lapsing_person = Line(_("Quién"), _lapsing_person)
same_number = Line(_("Ojo"), _same_number)
offered_price = Line(_("Precio que nombró"), lambda one: pesos(one.require_class().class_price))
refund_amount = Line(_("Cuánto"), lambda one: pesos(_refund(one).amount))
refund_reason = Line(_("Por qué"), lambda one: str(_refund(one).reason))
refunded_at = Line(_("Cuándo"), lambda one: _moment(_refund(one).at))
refund_requested_at = Line(_("Cuándo la pedimos"), lambda one: _moment(_refund(one).at))
how_to_reconnect = Line(_("Qué hacer"), _how_to_reconnect)
what_to_check = Line(
    _("Qué hacer"),
    lambda _notice: gettext(
        "Fijate en Google Cloud que la cuenta y su clave sigan activas, y en Google Workspace "
        "que siga autorizada la delegación de todo el dominio."
    ),
)
waiting_classes = Line(
    _("Clases que esperan"),
    lambda _notice: str(VirtualClass.objects.awaiting_scheduling(timezone.now()).count() or ""),
)
identity = Line(
    _("Cuenta de"), lambda one: list_ways_to_sign_in().get(one.occasion.partition(" ")[0], "")
)
