"""A class as one of its participants sees it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Prefetch, QuerySet, prefetch_related_objects
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from bookings.domain.people.own_classes import find_code_to_share, find_conference_url
from bookings.models import (
    UNPAID_STATES,
    BookingRules,
    ChangeTerms,
    ClassStatus,
    MinimumDecision,
    OpenClass,
    Purchase,
    PurchaseState,
    VirtualClass,
    find_awaited_class,
    find_change_terms,
    find_open_class,
)
from bookings.money_state import MoneyState
from bookings.pages.choosing import title_of
from bookings.pages.money_card import MoneyCard
from bookings.templatetags.class_times import clock, long_day

# The page offers the call from this long before the start.

# Without failures a link takes no longer; after that the page stops saying "a minute".
LINK_TAKES = timedelta(minutes=5)

# What a class itself says; before that its money does.
STATE_LABELS = {
    "preparing": _("Enlace en preparación"),
    "refused": _("No se pudo agendar"),
    "scheduled": _("Confirmada"),
    "completed": _("Completada"),
    "cancelled": _("Cancelada"),
    "ended": _("Terminada"),
}
OVER = {"completed", "ended"}
DROPPED = {"cancelled", "expired", "lost"}
# What the money of a class is read from.
MONEY = [f"purchases__{rows}" for rows in ("payment__charges", "entries", "transfers", "refunds")]


@dataclass(frozen=True, slots=True)
class ClassCard:
    """state: of the class (``_find_state``). money: of the host's class, or of the reader's place;
    None for other guests, and for the class that the teacher published. is_money_gone: all that the
    host paid went back, so no guest may join.
    """

    virtual_class: VirtualClass
    is_host: bool
    state: str
    conference_url: str = ""
    access_code: str = ""
    is_near: bool = False
    money: MoneyCard | None = None
    is_money_gone: bool = False

    @property
    def title(self) -> str | Promise:
        return title_of(self.virtual_class)

    @property
    def url(self) -> str:
        """The page of the class, or of a place that is not taken yet."""
        if self.is_place_kept and self.money:
            return reverse("bookings:place", args=[self.money.purchase.pk])
        return reverse("bookings:class", args=[self.virtual_class.pk])

    @property
    def is_place_kept(self) -> bool:
        return self.money is not None and self.money.is_place and self.state == "pending"

    @property
    def kept_until(self) -> datetime | None:
        """The end of an unpaid class's time, or of a place that is kept."""
        return self.money.kept_until if self.money else None

    @property
    def shows_money(self) -> bool:
        """True if the page has a box about the money, besides the facts."""
        money = self.money
        if money is None or (self.state == "preparing" and money.state is MoneyState.PREPARING):
            return False
        return not money.is_settled

    @property
    def tells_payment(self) -> bool:
        """True if the facts have a line about the money, or a link to the payment's page."""
        money = self.money
        if money is None:
            return False
        says_line = bool(money.line) and not self.shows_money and not self.awaited_class
        return says_line or (self.is_host and money.has_payment_page)

    @property
    def has_facts(self) -> bool:
        if not self.is_host:
            return self.money is not None or not self.is_open_class or self.tells_words
        lowered = self.money is not None and bool(self.money.purchase.discount)
        return lowered or self.tells_payment or self.tells_words

    @property
    def tells_words(self) -> bool:
        return self.virtual_class.shows_words and bool(self.virtual_class.words)

    @property
    def is_dropped(self) -> bool:
        return self.state in DROPPED

    @property
    def is_open_class(self) -> bool:
        return find_open_class(self.virtual_class) is not None

    @property
    def awaited_class(self) -> OpenClass | None:
        """The open class ahead, as long as it may be called off for want of people."""
        return find_awaited_class(self.virtual_class, timezone.now())

    @property
    def badges(self) -> list[tuple[str, str]]:
        """Return the state of the class and of its money, each with its colour, if both say
        something.
        """
        awaited = self.awaited_class
        own = str(MinimumDecision.WAITING.label if awaited else STATE_LABELS.get(self.state, ""))
        money = self.money
        if money is None:
            return [(self.state, own)] if own else []
        is_over = self.state in OVER
        # Before a class takes place for sure, its money alone says how it stands.
        is_sure = self.state == "scheduled" and not (money.is_settled and money.badge != own)
        badges = [(self.state, own)] if is_over or is_sure or self.state == "cancelled" else []
        says_more = money.badge != own and not (is_over and money.is_settled)
        return [*badges, (money.state.look, money.badge)] if says_more else badges

    @property
    def is_late(self) -> bool:
        """True if the class waits unusually long for its link."""
        requested_at = self.virtual_class.scheduling_requested_at
        in_time = requested_at is not None and requested_at + LINK_TAKES > timezone.now()
        return self.state == "preparing" and not in_time

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
        return self.virtual_class.doors_open

    @property
    def terms(self) -> ChangeTerms:
        return find_change_terms(self.virtual_class, timezone.now())

    @property
    def greeting(self) -> str:
        """Begin a message to the teacher about this class."""
        words = {"day": long_day(self.start), "clock": clock(self.start)}
        return gettext("Hola, te escribo por mi clase del %(day)s a las %(clock)s.") % words

    @property
    def is_cut_off(self) -> bool:
        """True if Meet ends the call early; one query for a long group."""
        students = self.virtual_class.capacity
        return BookingRules.cut_off_calls(students=students, minutes=self.minutes)


def present_class(virtual_class: VirtualClass, user: User, *, says_paid: bool = False) -> ClassCard:
    """says_paid: the person just returned from paying."""
    prefetch_related_objects([virtual_class], *MONEY)
    return _present_read(virtual_class, user, says_paid=says_paid)


def _present_read(virtual_class: VirtualClass, user: User, *, says_paid: bool = False) -> ClassCard:
    """Present a class whose money was read."""
    now = timezone.now()
    is_host = virtual_class.is_hosted_by(user)
    is_open = virtual_class.is_scheduled and not virtual_class.has_ended(now)
    purchase = virtual_class.purchase if is_host else find_own_place(virtual_class, user)
    money = MoneyCard(purchase, now, says_paid) if purchase else None
    payment = money.payment if money else None
    has_paid = payment is not None and payment.approved_at is not None
    return ClassCard(
        virtual_class=virtual_class,
        is_host=is_host,
        state=_find_state(virtual_class, now),
        conference_url=find_conference_url(virtual_class, now),
        access_code=find_code_to_share(virtual_class, user, now),
        is_near=is_open and virtual_class.doors_open <= now,
        money=money,
        is_money_gone=is_host and has_paid and payment is not None and payment.is_money_gone,
    )


def present_lists(
    user: User, ahead: QuerySet[VirtualClass], *others: QuerySet[VirtualClass], most: int
) -> list[list[ClassCard]]:
    """Present the nearest of a person's classes and places not taken yet, and other lists.

    The money of all is read at once.
    """
    places = _list_unpaid_places(user).order_by().values("virtual_class")
    places_of = VirtualClass.objects.filter(pk__in=places).order_by("start_time", "pk")
    places_of = places_of.select_related("booked_by", "offer", "open_class")
    querysets = (places_of, ahead[:most], *others)
    lists = [list(one.prefetch_related(None)) for one in querysets]
    purchases = Purchase.objects.select_related("payment", "hold")
    rows = [one for classes in lists for one in classes]
    prefetch_related_objects(rows, Prefetch("purchases", purchases), *MONEY)
    cards = [card for one in lists[0] if (card := _present_place(one, user))]
    cards += [_present_read(one, user) for one in lists[1]]
    nearest = sorted(cards, key=lambda card: (card.start, card.virtual_class.pk))[:most]
    return [nearest, *([_present_read(one, user) for one in classes] for classes in lists[2:])]


def _present_place(virtual_class: VirtualClass, user: User) -> ClassCard | None:
    """Present the place that a person has not taken, if it is kept or awaited."""
    now = timezone.now()
    places = _list_places_in(virtual_class, user)
    place = next((one for one in places if _is_underway(one, now)), None)
    if place is None:
        return None
    return ClassCard(virtual_class, is_host=False, state="pending", money=MoneyCard(place, now))


def find_place_underway(virtual_class: VirtualClass, user: User) -> Purchase | None:
    """Return the place ahead that a person has not taken, if it is kept or awaited."""
    now = timezone.now()
    places = _list_unpaid_places(user).filter(virtual_class=virtual_class)
    return next((one for one in places if _is_underway(one, now)), None)


def _is_underway(place: Purchase, now: datetime) -> bool:
    return place.is_kept(now) or place.is_awaited()


def _list_unpaid_places(user: User) -> QuerySet[Purchase]:
    """List the places ahead that a person has not taken."""
    ahead = VirtualClass.objects.filter(end_time__gt=timezone.now())
    open_ones = ahead.exclude(status=ClassStatus.CANCELLED).exclude(activities__user=user)
    places = Purchase.objects.places().filter(person=user, state__in=UNPAID_STATES)
    return places.filter(virtual_class__in=open_ones).order_by("-created_at", "-pk")


def find_own_place(virtual_class: VirtualClass, user: User) -> Purchase | None:
    """Return the place that a guest bought and has."""
    mine = _list_places_in(virtual_class, user)
    return next((one for one in mine if one.state == PurchaseState.PAID), None)


def _list_places_in(virtual_class: VirtualClass, user: User) -> list[Purchase]:
    purchases = virtual_class.purchases.all()  # may be prefetched
    return [one for one in purchases if one.is_place and one.person_id == user.pk]


def _find_state(virtual_class: VirtualClass, now: datetime) -> str:
    if virtual_class.has_lost_its_hold:
        return "lost"
    if virtual_class.is_undecided and not virtual_class.has_ended(now):
        return "undecided"
    if virtual_class.status == ClassStatus.PENDING and virtual_class.scheduling_refusal:
        return "refused"
    if virtual_class.is_being_scheduled:
        # A class that has ended gets no link.
        return "refused" if virtual_class.has_ended(now) else "preparing"
    if virtual_class.has_lapsed:
        return "expired"
    if virtual_class.status in {ClassStatus.PENDING, ClassStatus.SCHEDULED}:
        return "ended" if virtual_class.has_ended(now) else virtual_class.status
    return virtual_class.status
