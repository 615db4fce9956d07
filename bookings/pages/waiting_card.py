"""What a person in line sees of it: templates print it and decide nothing."""

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from bookings.domain.places.offers import takes_waiting
from bookings.domain.places.waiting_queries import StandingEntry
from bookings.models import ClassStatus, ClassType, VirtualClass, WaitingListEntry, WaitingState
from bookings.pages.presenting import TITLES

STATE_LABELS = {
    "waiting": _("En espera"),
    "offered": _("Hay un lugar para vos"),
    "free": _("Hay lugar"),
    "expired": _("Se venció"),
    "left": _("Saliste de la lista"),
    "closed": _("Lista cerrada"),
    "ended": _("Terminada"),
    "cancelled": _("Cancelada"),
}


@dataclass(frozen=True, slots=True)
class WaitingCard:
    """Somebody's turn for a place in a full class.

    state: one of STATE_LABELS; "free" is a place that is kept for nobody. until: how long the
    offered place is kept. ahead: how many people come before.
    """

    entry: WaitingListEntry
    state: str
    until: datetime | None
    ahead: int

    @property
    def virtual_class(self) -> VirtualClass:
        """What the person waits for."""
        return self.entry.virtual_class

    @property
    def title(self) -> Promise:
        """What kind of class it is."""
        return TITLES[ClassType(self.virtual_class.class_type)]

    @property
    def state_label(self) -> Promise:
        """What the badge says."""
        return STATE_LABELS[self.state]

    @property
    def can_claim(self) -> bool:
        """Whether there is a place to take."""
        return self.state in {"offered", "free"}


def present_waiting(entry: "StandingEntry") -> WaitingCard:
    """Show an entry to its person."""
    state = _state(entry, timezone.now())
    return WaitingCard(
        entry=entry,
        state=state,
        until=entry.offer_expires_at if state == "offered" else None,
        ahead=entry.ahead,
    )


def _state(entry: "StandingEntry", now: datetime) -> str:
    virtual_class = entry.virtual_class
    if virtual_class.status == ClassStatus.CANCELLED:
        return "cancelled"
    if not virtual_class.is_scheduled or virtual_class.has_ended(now):
        return "ended"
    if entry.is_live(now):
        return "offered"
    if entry.state == WaitingState.WAITING and virtual_class.free_places > entry.is_place_kept:
        return "free"
    if not takes_waiting(virtual_class, now):
        return "closed"
    if entry.has_expired(now):
        return "expired"
    return "waiting" if entry.state == WaitingState.WAITING else "left"
