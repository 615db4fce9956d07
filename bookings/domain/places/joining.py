"""Joining: a guest takes a place in a scheduled class."""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet, Value
from django.utils import timezone

from accounts.models import User
from bookings.domain.exceptions import (
    AlreadyJoinedError,
    ClassEndedError,
    ClassFullError,
    ClassNotFoundError,
    OwnClassError,
    PlaceHeldError,
    PlaceOfferedError,
)
from bookings.domain.history import record_event
from bookings.domain.places.codes import limit_wrong_codes, normalize_access_code, read_access_code
from bookings.domain.places.participants import add_guest, list_held_places
from bookings.domain.places.place_offers import (
    is_kept_for_another,
    list_open_entries,
    offer_free_place,
)
from bookings.domain.queries import get_class, list_classes_of, list_money_gone
from bookings.models import (
    ClassEvent,
    ClassStatus,
    NoticeKind,
    UserActivity,
    VirtualClass,
    WaitingState,
)
from bookings.notices.due import record_place

# Classes with a code; a completed one is refused as ended.
OPEN = [ClassStatus.SCHEDULED, ClassStatus.COMPLETED]


def join_class(*, user: User, access_code: str, address: str = "") -> VirtualClass:
    """Give ``user`` a place in the class of an access code.

    access_code: in any case, with or without separators. address: empty if unknown; it limits wrong
    codes too.
    Raises, in this order and without writing: TooManyAttemptsError, ClassNotFoundError,
    OwnClassError, ClassEndedError, ClassFullError, PlaceHeldError or PlaceOfferedError,
    AlreadyJoinedError.

    Spec: Endpoints, POST /api/access-code, checks 1 to 6.
    """
    with limit_wrong_codes(user=user, address=address):
        code = read_access_code(access_code)
        with transaction.atomic():
            virtual_class = lock_class(code)
            take_place(user=user, virtual_class=virtual_class)
    return virtual_class


def preview_class(*, user: User, access_code: str, address: str = "") -> VirtualClass:
    """Return the class to join, with its host; count wrong codes and raise as ``join_class``."""
    with limit_wrong_codes(user=user, address=address):
        code = read_access_code(access_code)
        classes = VirtualClass.objects.filter(status__in=OPEN).select_related("booked_by")
        virtual_class = get_class(classes, access_code=code)
        check_place(user, virtual_class)
    return virtual_class


def take_place(*, user: User, virtual_class: VirtualClass) -> None:
    """The class is locked. Raises as ``join_class``."""
    is_in_line = check_place(user, virtual_class)
    part = add_guest(virtual_class, user)
    record_event(virtual_class, ClassEvent.JOINED, actor=user, details={"person": str(user.pk)})
    # A guest who left and comes back has another activity, and gets another mail.
    record_place(NoticeKind.JOINED, virtual_class, user.pk, occasion=str(part.pk))
    if is_in_line:
        entries = list_open_entries(user).filter(virtual_class=virtual_class)
        entries.update(state=WaitingState.CLAIMED, offered_at=None, offer_expires_at=None)
        offer_free_place(virtual_class)


def find_joined_class(*, user: User, access_code: str) -> VirtualClass | None:
    code = normalize_access_code(access_code)
    if code is None:
        return None
    return list_classes_of(user).filter(access_code=code, status=ClassStatus.SCHEDULED).first()


def lock_class(code: str) -> VirtualClass:
    """Raises ClassNotFoundError."""
    classes = VirtualClass.objects.select_for_update().filter(status__in=OPEN)
    return get_class(classes, access_code=code)


def check_place(user: User, virtual_class: VirtualClass) -> bool:
    """Raise as ``join_class``; return True if the person is in line."""
    claims = _read_claims(user, virtual_class)
    if "money gone" in claims:
        raise ClassNotFoundError
    _refuse(user, virtual_class, virtual_class.free_places - claims.count("held"))
    if "inside" in claims:
        raise AlreadyJoinedError
    return "in line" in claims


def _read_claims(user: User, virtual_class: VirtualClass) -> list[str]:
    """Read after the lock, in one query: the locking one may read old values before it waits."""
    found: dict[str, QuerySet[Any]] = {
        "in line": list_open_entries(user).filter(virtual_class=virtual_class),
        "inside": UserActivity.objects.filter(user=user, virtual_class=virtual_class),
        "held": list_held_places(virtual_class, timezone.now()).exclude(person=user),
        "money gone": list_money_gone(virtual_class.pk),
    }
    first, *others = (rows.order_by().values_list(Value(name)) for name, rows in found.items())
    return [name for (name,) in first.union(*others, all=True)]


def _refuse(user: User, virtual_class: VirtualClass, free_places: int) -> None:
    if virtual_class.is_hosted_by(user):
        raise OwnClassError
    if virtual_class.status == ClassStatus.COMPLETED or virtual_class.has_ended():
        raise ClassEndedError
    if virtual_class.is_full:
        raise ClassFullError
    if free_places <= 0:
        raise PlaceHeldError
    if is_kept_for_another(virtual_class, user, free_places):
        raise PlaceOfferedError
