"""The waiting list of a full class.

In an open class, a person cannot wait while a place is free or held for that person, nor for a day
after an offered place that the person did not pay.
"""

import uuid
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, TypedDict

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User, UserStatus
from bookings.domain.exceptions import (
    AlreadyJoinedError,
    BookingError,
    ClassCancelledError,
    ClassNotFoundError,
    OfferLapsedError,
    OwnClassError,
    TooManyAttemptsError,
)
from bookings.domain.places.joining import (
    limit_wrong_codes,
    lock_class,
    normalize_access_code,
    read_access_code,
    take_place,
)
from bookings.domain.places.participants import (
    count_kept_places,
    count_per_class,
    list_held_places,
    lock_open_class,
    offer_free_place,
    sells_places,
    takes_waiting,
)
from bookings.domain.queries import list_money_gone
from bookings.models import (
    ClassStatus,
    OpenClass,
    Purchase,
    UserActivity,
    VirtualClass,
    WaitingListEntry,
    WaitingState,
)
from config.lib.throttling import is_too_often, seconds_left

WINDOW = timedelta(hours=1)

# An offered place that was not paid is not offered to the same person again for so long.
PAUSE = timedelta(days=1)


def wait_for_place(*, user: User, access_code: str, address: str = "") -> WaitingListEntry:
    """Put ``user`` at the end of the line.

    address: as for ``join_class``. Raises TooManyAttemptsError, ClassNotFoundError, OwnClassError,
    AlreadyJoinedError, OfferLapsedError; BookingError unless ``takes_waiting``, or if a place of an
    open class is free or held for ``user``.
    """
    _refuse_haste(user)
    with limit_wrong_codes(user=user, address=address):
        code = read_access_code(access_code)
        with transaction.atomic():
            virtual_class = lock_class(code)
            if list_money_gone(virtual_class.pk).exists():
                raise ClassNotFoundError
            return _get_into_line(user, virtual_class)


def wait_for_open_class(*, user: User, class_id: uuid.UUID) -> WaitingListEntry:
    """Raises as ``wait_for_place``."""
    _refuse_haste(user)
    with transaction.atomic():
        return _get_into_line(user, lock_open_class(class_id))


def wait_again(*, user: User, entry_id: uuid.UUID) -> WaitingListEntry:
    """Raises as ``wait_for_place``."""
    _refuse_haste(user)
    with transaction.atomic():
        entry = _lock(entry_id, user=user)
        return _get_into_line(user, entry.virtual_class)


@transaction.atomic
def claim_place(*, user: User, entry_id: uuid.UUID) -> VirtualClass:
    """Take the offered place, or any free one.

    Raises as ``join_class``; also ClassCancelledError, and BookingError if the turn is over or the
    place has a price.
    """
    entry = _lock(entry_id, user=user)
    if entry.virtual_class.status == ClassStatus.CANCELLED:
        raise ClassCancelledError
    if entry.has_expired() or entry.state == WaitingState.LEFT or not entry.user.is_active:
        raise BookingError(_("Se venció el tiempo para tomar ese lugar."))
    if sells_places(entry.virtual_class):
        raise BookingError(_("El lugar se paga: reservalo en la página de la clase."))
    take_place(user=user, virtual_class=entry.virtual_class)
    return entry.virtual_class


@transaction.atomic
def leave_line(*, user: User, entry_id: uuid.UUID) -> WaitingListEntry:
    """Stop waiting or decline the offer. Raises ClassNotFoundError."""
    return _leave(_lock(entry_id, user=user))


def leave_every_line(*, user: User) -> None:
    for entry in user.waiting_list_entries.open():
        leave_line(user=user, entry_id=entry.pk)


@transaction.atomic
def remove_from_line(*, class_id: uuid.UUID, entry_id: uuid.UUID) -> WaitingListEntry:
    """For the teacher. Raises ClassNotFoundError."""
    return _leave(_lock(entry_id, virtual_class=class_id))


def _refuse_haste(user: User) -> None:
    if is_too_often("waits", user.pk, limit=settings.MAX_WAITS, window=WINDOW):
        raise TooManyAttemptsError(wait_seconds=seconds_left(WINDOW))


def _get_into_line(user: User, virtual_class: VirtualClass) -> WaitingListEntry:
    now = timezone.now()
    if virtual_class.is_hosted_by(user):
        raise OwnClassError
    if virtual_class.activities.filter(user=user).exists():
        raise AlreadyJoinedError
    if not takes_waiting(virtual_class, now):
        raise BookingError(_("Esta clase no tiene lista de espera."))
    _refuse_needless(user, virtual_class, now)
    entry = WaitingListEntry.objects.get_or_create(
        virtual_class=virtual_class, user=user, defaults={"created_at": now}
    )[0]
    if entry.has_expired(now) or not entry.is_open:
        if find_pause_end(entry, now):
            raise OfferLapsedError
        entry.state, entry.created_at = WaitingState.WAITING, now
        entry.offered_at = entry.offer_expires_at = None
        entry.save()
    offer_free_place(virtual_class)
    entry.refresh_from_db()
    return entry


def _refuse_needless(user: User, virtual_class: VirtualClass, now: datetime) -> None:
    """Refuse to wait in an open class with a free place: an offer would take it off sale."""
    if not OpenClass.objects.filter(pk=virtual_class.pk).exists():
        return
    if list_held_places(virtual_class, now).filter(person=user).exists():
        raise BookingError(_("Ya te guardamos un lugar en esta clase: falta que lo pagues."))
    if virtual_class.free_places > count_kept_places(virtual_class):
        raise BookingError(_("Todavía queda lugar: reservalo en la página de la clase."))


def _leave(entry: WaitingListEntry) -> WaitingListEntry:
    if entry.is_open:
        if entry.is_live():
            entry.offer_expires_at = timezone.now()
        entry.state = WaitingState.LEFT
        entry.save(update_fields=["state", "offer_expires_at"])
        offer_free_place(entry.virtual_class)
    return entry


def _lock(entry_id: uuid.UUID, **belongs_to: User | uuid.UUID) -> WaitingListEntry:
    """An entry changes only under the lock of its class."""
    entries = WaitingListEntry.objects.filter(pk=entry_id, **belongs_to)
    virtual_class = (
        VirtualClass.objects.select_for_update()
        .filter(pk__in=entries.values("virtual_class"))
        .first()
    )
    entry = entries.select_related("user").first()
    if virtual_class is None or entry is None:
        raise ClassNotFoundError
    entry.virtual_class = virtual_class
    return entry


class _Standing(TypedDict):
    ahead: int
    is_in_class: bool
    kept: int


if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    StandingEntry = WithAnnotations[WaitingListEntry, _Standing]
else:
    StandingEntry = WaitingListEntry


def get_entry_of(user: User, entry_id: uuid.UUID) -> "StandingEntry | None":
    return _with_standing(WaitingListEntry.objects.filter(pk=entry_id, user=user)).first()


def list_lines_of(user: User) -> "QuerySet[StandingEntry]":
    """List open and expired entries of classes ahead, the nearest first."""
    entries = WaitingListEntry.objects.filter(
        user=user,
        state__in=[WaitingState.WAITING, WaitingState.OFFERED, WaitingState.EXPIRED],
        virtual_class__status=ClassStatus.SCHEDULED,
        virtual_class__end_time__gt=timezone.now(),
    )
    ahead = _with_standing(entries).filter(is_in_class=False)
    return ahead.order_by("virtual_class__start_time", "virtual_class")


def find_pause_end(entry: WaitingListEntry, now: datetime) -> datetime | None:
    """Return when the person of an entry may wait again, after an offered place that was not paid.

    None if that is now; only open classes have such pauses.
    """
    ended_at = entry.offer_expires_at
    if ended_at is None or entry.is_live(now) or ended_at + PAUSE <= now:
        return None
    if not OpenClass.objects.filter(pk=entry.virtual_class_id).exists():
        return None
    places = (
        Purchase.objects.places()
        .paid()
        .filter(virtual_class=entry.virtual_class_id, person=entry.user_id)
    )
    is_paid = places.filter(created_at__gte=entry.offered_at).exists()
    return None if is_paid else ended_at + PAUSE


def count_waiting(virtual_class: VirtualClass) -> int:
    """Count the active people in line; 0 once the list is closed."""
    now = timezone.now()
    if not takes_waiting(virtual_class, now):
        return 0
    entries = virtual_class.waiting_list
    line = entries.waiting() | entries.live(now).filter(user__status=UserStatus.ACTIVE)
    parts = virtual_class.activities.values("user")
    return line.exclude(user__in=parts).count()


def list_open_offers(now: datetime) -> QuerySet[WaitingListEntry]:
    live = WaitingListEntry.objects.live(now)
    return live.filter(virtual_class__status=ClassStatus.SCHEDULED)


def find_class_to_wait_for(access_code: str) -> VirtualClass | None:
    code = normalize_access_code(access_code)
    virtual_class = VirtualClass.objects.filter(access_code=code).first() if code else None
    if virtual_class is None or not takes_waiting(virtual_class, timezone.now()):
        return None
    return virtual_class


def _with_standing(entries: QuerySet[WaitingListEntry]) -> "QuerySet[StandingEntry]":
    """kept: the free places that are offered, or that are being paid."""
    now = timezone.now()
    line = WaitingListEntry.objects.filter(virtual_class=OuterRef("virtual_class"))
    before = line.waiting().filter(created_at__lt=OuterRef("created_at"))
    held = list_held_places(OuterRef("virtual_class"), now)
    parts = UserActivity.objects.filter(
        virtual_class=OuterRef("virtual_class"), user=OuterRef("user")
    )
    return entries.select_related(
        "virtual_class__booked_by", "virtual_class__offer", "virtual_class__open_class"
    ).annotate(
        ahead=count_per_class(before),
        is_in_class=Exists(parts),
        kept=count_per_class(line.live(now)) + count_per_class(held),
    )
