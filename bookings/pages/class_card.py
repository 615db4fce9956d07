"""A class as one of its participants sees it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django_stubs_ext import StrOrPromise

from accounts.models import User
from bookings.domain.change_policy import ChangeTerms, find_change_terms
from bookings.domain.people.own_classes import find_code_to_share, find_conference_url
from bookings.domain.queries import has_lapsed, has_lost_its_hold
from bookings.models import (
    BookingRules,
    ClassStatus,
    ClassType,
    Hold,
    OpenClass,
    Payment,
    VirtualClass,
    find_open_class,
)

# The page offers the call from this long before the start.
DOORS_OPEN_BEFORE = timedelta(minutes=15)
# Without failures a link takes no longer; after that the page stops saying "a minute".
LINK_TAKES = timedelta(minutes=5)

TITLES = {
    ClassType.INDIVIDUAL: _("Clase individual"),
    ClassType.GROUP: _("Clase grupal"),
}
STATE_LABELS = {
    "pending": _("Esperando el pago"),
    "expired": _("Se venció"),
    "preparing": _("Enlace en preparación"),
    "refused": _("No se pudo agendar"),
    "lost": _("Horario ocupado"),
    "undecided": _("Falta que la profe acepte"),
    "scheduled": _("Confirmada"),
    "completed": _("Completada"),
    "cancelled": _("Cancelada"),
    "ended": _("Terminada"),
}


@dataclass(frozen=True, slots=True)
class ClassCard:
    """state: a key of STATE_LABELS. kept_until: the end of an unpaid class's hold. is_money_gone:
    all that the host paid went back, so no guest may join.
    """

    virtual_class: VirtualClass
    is_host: bool
    state: str
    conference_url: str
    access_code: str
    kept_until: datetime | None
    is_near: bool
    is_money_gone: bool = False

    @property
    def title(self) -> StrOrPromise:
        return title_of(self.virtual_class)

    @property
    def is_open_class(self) -> bool:
        return find_open_class(self.virtual_class) is not None

    @property
    def state_label(self) -> Promise:
        return STATE_LABELS[self.state]

    @property
    def is_late(self) -> bool:
        return self.state == "preparing" and is_link_late(self.virtual_class)

    @property
    def start(self) -> datetime:
        return self.virtual_class.start_time

    @property
    def end(self) -> datetime:
        return self.virtual_class.end_time

    @property
    def minutes(self) -> int:
        return self.virtual_class.minutes

    @property
    def doors_open(self) -> datetime:
        return self.start - DOORS_OPEN_BEFORE

    @property
    def terms(self) -> ChangeTerms:
        return find_change_terms(self.virtual_class, timezone.now())

    @property
    def is_cut_off(self) -> bool:
        """True if Meet ends the call early; one query for a long group."""
        students = self.virtual_class.capacity
        return BookingRules.cut_off_calls(students=students, minutes=self.minutes)


def title_of(chosen: VirtualClass | Hold) -> StrOrPromise:
    open_class: OpenClass | None = getattr(chosen, "open_class", None)
    if open_class is not None:
        return open_class.title
    return chosen.offer.name if chosen.offer else TITLES[ClassType(chosen.class_type)]


def present_class(virtual_class: VirtualClass, user: User) -> ClassCard:
    now = timezone.now()
    is_host = virtual_class.is_hosted_by(user)
    is_open = virtual_class.is_scheduled and not virtual_class.has_ended(now)
    state = _state(virtual_class, now)
    hold: Hold | None = getattr(virtual_class, "hold", None)
    payment: Payment | None = getattr(virtual_class, "payment", None)
    has_paid = payment is not None and payment.approved_at is not None
    is_money_gone = payment is not None and has_paid and payment.is_money_gone
    return ClassCard(
        virtual_class=virtual_class,
        is_host=is_host,
        state=state,
        conference_url=find_conference_url(virtual_class, now),
        access_code=find_code_to_share(virtual_class, user, now),
        kept_until=hold.expires_at if hold and hold.is_live(now) and state == "pending" else None,
        is_near=is_open and virtual_class.start_time - DOORS_OPEN_BEFORE <= now,
        is_money_gone=is_money_gone and is_host,
    )


def is_link_late(virtual_class: VirtualClass) -> bool:
    """True if a paid class waits unusually long for its link."""
    requested_at = virtual_class.scheduling_requested_at
    return requested_at is None or requested_at + LINK_TAKES <= timezone.now()


def _state(virtual_class: VirtualClass, now: datetime) -> str:
    if has_lost_its_hold(virtual_class):
        return "lost"
    if virtual_class.is_undecided and not virtual_class.has_ended(now):
        return "undecided"
    if virtual_class.status == ClassStatus.PENDING and virtual_class.scheduling_refusal:
        return "refused"
    if virtual_class.is_being_scheduled:
        # A class that has ended gets no link.
        return "refused" if virtual_class.has_ended(now) else "preparing"
    if has_lapsed(virtual_class):
        return "expired"
    if virtual_class.status in {ClassStatus.PENDING, ClassStatus.SCHEDULED}:
        return "ended" if virtual_class.has_ended(now) else virtual_class.status
    return virtual_class.status
