"""Joining: a guest takes a place in a scheduled class."""

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import User
from bookings.domain.exceptions import (
    AlreadyJoinedError,
    BookingError,
    ClassEndedError,
    ClassFullError,
    ClassNotFoundError,
    OwnClassError,
    PlaceOfferedError,
)
from bookings.domain.history import record_event
from bookings.domain.places.access_codes import normalize_access_code
from bookings.domain.places.code_limits import limit_wrong_codes
from bookings.domain.places.offers import (
    is_kept_for_another,
    list_open_entries,
    offer_free_place,
)
from bookings.domain.queries import list_classes_of, list_money_gone
from bookings.models import (
    ClassEvent,
    ClassStatus,
    NoticeKind,
    Role,
    UserActivity,
    VirtualClass,
    WaitingState,
)
from bookings.notices.due import record_place


def join_class(*, user: User, access_code: str, address: str = "") -> VirtualClass:
    """Give ``user`` a place in the class that ``access_code`` opens.

    access_code: eight digits and letters, in any case, with or without spaces and dashes.
    address: the IP address that asks, as far as it is known; wrong codes are counted by it too.
    Returns the class as stored afterwards; ``current_participants`` counts the user.
    Raises, in this order and without writing: ClassNotFoundError, OwnClassError,
    ClassEndedError, ClassFullError (PlaceOfferedError where the free places are offered to people
    on the waiting list), AlreadyJoinedError. Before them all: TooManyAttemptsError,
    for a person or an address that was wrong too often.

    Spec: Endpoints, POST /api/access-code, checks 1 to 6.
    """
    with limit_wrong_codes(user=user, address=address):
        return _join(user, access_code)


def _join(user: User, access_code: str) -> VirtualClass:
    code = normalize_access_code(access_code)
    if code is None:
        raise ClassNotFoundError
    with transaction.atomic():
        virtual_class = lock_class(code)
        _admit(user, virtual_class)
    return virtual_class


def take_place(*, user: User, virtual_class: VirtualClass) -> None:
    """Give a place to somebody in line for it; the caller has locked the class's row.

    Raises as ``join_class``.
    """
    if list_money_gone(virtual_class.pk).exists():
        raise ClassNotFoundError
    _admit(user, virtual_class)


def _admit(user: User, virtual_class: VirtualClass) -> None:
    """Store the part of a person whom no check refuses, and end their waiting."""
    refusal = _find_refusal(user, virtual_class)
    if refusal is not None:
        raise refusal
    part = _register(user, virtual_class)
    virtual_class.current_participants += 1
    virtual_class.participants_ids.append(str(user.pk))
    virtual_class.save(update_fields=["current_participants", "participants_ids", "updated_at"])
    record_event(virtual_class, ClassEvent.JOINED, actor=user, details={"person": str(user.pk)})
    # Whoever left and comes back has another part, and is told again.
    record_place(NoticeKind.JOINED, virtual_class, user.pk, occasion=str(part.pk))
    waiting = list_open_entries(user).filter(virtual_class=virtual_class)
    if waiting.update(state=WaitingState.CLAIMED):
        offer_free_place(virtual_class)


def find_joined_class(*, user: User, access_code: str) -> VirtualClass | None:
    """Find the open class of a code, as people type it, when ``user`` is in it already."""
    code = normalize_access_code(access_code)
    if code is None:
        return None
    return list_classes_of(user).filter(access_code=code, status=ClassStatus.SCHEDULED).first()


def lock_class(code: str) -> VirtualClass:
    """Lock the row before anything is checked: two guests may not both see the last place.

    A completed class is found, so that its code answers "ended" as it did before it was completed.
    A class whose money went back, by refunds or a chargeback, is not: its code opens nothing.
    Raises ClassNotFoundError.
    """
    open_classes = VirtualClass.objects.filter(
        access_code=code, status__in=[ClassStatus.SCHEDULED, ClassStatus.COMPLETED]
    )
    try:
        virtual_class = open_classes.select_for_update().get()
    except VirtualClass.DoesNotExist:
        raise ClassNotFoundError from None
    if list_money_gone(virtual_class.pk).exists():
        raise ClassNotFoundError
    return virtual_class


def _find_refusal(user: User, virtual_class: VirtualClass) -> BookingError | None:
    """Make the documented checks 2 to 5, in their order."""
    if virtual_class.is_hosted_by(user):
        return OwnClassError()
    if virtual_class.status == ClassStatus.COMPLETED or virtual_class.has_ended(timezone.now()):
        return ClassEndedError()
    if virtual_class.is_full:
        return ClassFullError()
    if is_kept_for_another(virtual_class, user):
        return PlaceOfferedError()
    if str(user.pk) in virtual_class.participants_ids:
        return AlreadyJoinedError()
    return None


def _register(user: User, virtual_class: VirtualClass) -> UserActivity:
    """Store the guest's part. Its row has the last word on who takes part, not the list of ids.

    No savepoint: a refusal ends the whole transaction.
    """
    try:
        return UserActivity.objects.create(
            user=user, virtual_class=virtual_class, rol=Role.PARTICIPANT
        )
    except IntegrityError:
        raise AlreadyJoinedError from None
