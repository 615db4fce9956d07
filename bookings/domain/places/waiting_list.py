"""The waiting list of a full class.

In an open class, a person cannot wait while a place is free or held for that person, nor for a day
after an offered place that the person did not pay.
"""

import uuid
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from bookings.domain.exceptions import (
    AlreadyJoinedError,
    BookingError,
    ClassCancelledError,
    ClassNotFoundError,
    OfferLapsedError,
    OwnClassError,
    TooManyAttemptsError,
)
from bookings.domain.places.access_codes import read_access_code
from bookings.domain.places.code_limits import limit_wrong_codes
from bookings.domain.places.held_places import (
    list_held_places,
    lock_open_class,
    sells_places,
)
from bookings.domain.places.joining import lock_class, take_place
from bookings.domain.places.place_offers import (
    IN_LINE,
    count_kept_places,
    list_open_entries,
    offer_free_place,
    takes_waiting,
)
from bookings.domain.places.waiting_queries import find_pause_end
from bookings.domain.queries import list_money_gone
from bookings.models import ClassStatus, OpenClass, VirtualClass, WaitingListEntry, WaitingState
from config.lib.throttling import is_too_often, seconds_left

WINDOW = timedelta(hours=1)


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
    for entry in list_open_entries(user):
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
    if entry.has_expired(now) or entry.state not in IN_LINE:
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
    if entry.state in IN_LINE:
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
