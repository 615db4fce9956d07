"""Waiting for a place in a full class: get into line, take the offered place, leave."""

import uuid
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from bookings.domain.dry_runs import Consequences, foresee
from bookings.domain.exceptions import (
    AlreadyJoinedError,
    ClassCancelledError,
    ClassNotFoundError,
    OfferExpiredError,
    OwnClassError,
    TooManyAttemptsError,
    WaitingClosedError,
)
from bookings.domain.places.access_codes import normalize_access_code
from bookings.domain.places.code_limits import limit_wrong_codes
from bookings.domain.places.joining import lock_class, take_place
from bookings.domain.places.offers import (
    IN_LINE,
    list_open_entries,
    offer_free_place,
    takes_waiting,
)
from bookings.models import ClassStatus, VirtualClass, WaitingListEntry, WaitingState
from config.lib.throttling import is_too_often, seconds_left

WINDOW = timedelta(hours=1)


def wait_for_place(*, user: User, access_code: str, address: str = "") -> WaitingListEntry:
    """Put ``user`` at the end of the line for the class that ``access_code`` opens.

    Whoever is in line keeps their turn. A place that is free by now is offered at once, in turn.
    address: as for ``join_class``. Raises TooManyAttemptsError, ClassNotFoundError, OwnClassError,
    AlreadyJoinedError, and WaitingClosedError for a class that takes nobody into line.
    """
    _refuse_haste(user)
    with limit_wrong_codes(user=user, address=address):
        return _wait(user, access_code)


def wait_again(*, user: User, entry_id: uuid.UUID) -> WaitingListEntry:
    """Put somebody who left, or let an offer pass, at the end of the line.

    Raises ClassNotFoundError when the entry is not theirs, else as ``wait_for_place``.
    """
    _refuse_haste(user)
    with transaction.atomic():
        entry = _lock(entry_id, user=user)
        return _get_into_line(user, entry.virtual_class)


@transaction.atomic
def claim_place(*, user: User, entry_id: uuid.UUID) -> VirtualClass:
    """Take the place that is offered to ``user``, or one that is free for anybody.

    It is joining: see ``join_class`` for what is written and refused. Raises besides
    ClassNotFoundError when the entry is not theirs, ClassCancelledError, and OfferExpiredError when
    the offer is over, or the person out of line or suspended a moment ago.
    """
    entry = _lock(entry_id, user=user)
    if entry.virtual_class.status == ClassStatus.CANCELLED:
        raise ClassCancelledError
    if entry.has_expired() or entry.state == WaitingState.LEFT or not entry.user.is_active:
        raise OfferExpiredError
    take_place(user=user, virtual_class=entry.virtual_class)
    return entry.virtual_class


@transaction.atomic
def leave_line(*, user: User, entry_id: uuid.UUID) -> WaitingListEntry:
    """Stop waiting, or decline the offer, which passes on; leaving twice does nothing.

    Raises ClassNotFoundError when the entry is not theirs.
    """
    return _leave(_lock(entry_id, user=user))


def leave_every_line(*, user: User) -> None:
    """End a person's waiting everywhere; a place that is offered to them passes on."""
    for entry in list_open_entries(user):
        leave_line(user=user, entry_id=entry.pk)


@transaction.atomic
def remove_from_line(*, class_id: uuid.UUID, entry_id: uuid.UUID) -> WaitingListEntry:
    """Take somebody out of a class's line, as the teacher wishes.

    Raises ClassNotFoundError for an entry that is not of that class.
    """
    return _leave(_lock(entry_id, virtual_class=class_id))


def foresee_removal(*, class_id: uuid.UUID, entry_id: uuid.UUID) -> Consequences[WaitingListEntry]:
    """Find out what taking a person out of a line would write. Raises as ``remove_from_line``."""
    return foresee(lambda: remove_from_line(class_id=class_id, entry_id=entry_id), [class_id])


def _refuse_haste(user: User) -> None:
    """Bound how often a person gets into line: each time may offer a place and send a mail."""
    if is_too_often("waits", user.pk, limit=settings.MAX_WAITS, window=WINDOW):
        raise TooManyAttemptsError(wait_seconds=seconds_left(WINDOW))


@transaction.atomic
def _wait(user: User, access_code: str) -> WaitingListEntry:
    code = normalize_access_code(access_code)
    if code is None:
        raise ClassNotFoundError
    virtual_class = lock_class(code)
    return _get_into_line(user, virtual_class)


def _get_into_line(user: User, virtual_class: VirtualClass) -> WaitingListEntry:
    now = timezone.now()
    if virtual_class.is_hosted_by(user):
        raise OwnClassError
    if virtual_class.activities.filter(user=user).exists():
        raise AlreadyJoinedError
    if not takes_waiting(virtual_class, now):
        raise WaitingClosedError
    entry, _ = WaitingListEntry.objects.get_or_create(
        virtual_class=virtual_class, user=user, defaults={"created_at": now}
    )
    if entry.has_expired(now) or entry.state not in IN_LINE:
        entry.state, entry.created_at = WaitingState.WAITING, now
        entry.offered_at = entry.offer_expires_at = None
        entry.save()
    offer_free_place(virtual_class)
    entry.refresh_from_db()
    return entry


def _leave(entry: WaitingListEntry) -> WaitingListEntry:
    if entry.state in IN_LINE:
        entry.state = WaitingState.LEFT
        entry.save(update_fields=["state"])
        offer_free_place(entry.virtual_class)
    return entry


def _lock(entry_id: uuid.UUID, **belongs_to: User | uuid.UUID) -> WaitingListEntry:
    """Lock the class of an entry, then read the entry: it changes only while that is locked.

    belongs_to: whose entry, or of which class, it must be.
    """
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
