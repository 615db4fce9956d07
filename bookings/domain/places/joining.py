"""Joining: a guest takes a place in a scheduled class."""

from functools import cache

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from accounts.models import User
from bookings.domain.calendar.guests import note_guests
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
from bookings.domain.places.access_codes import normalize_access_code, read_access_code
from bookings.domain.places.code_limits import limit_wrong_codes
from bookings.domain.places.place_offers import (
    IN_LINE,
    is_kept_for_another,
    list_open_entries,
    offer_free_place,
)
from bookings.domain.queries import get_class, list_classes_of
from bookings.models import (
    MONEY_GONE,
    ClassEvent,
    ClassStatus,
    NoticeKind,
    Role,
    SeatState,
    UserActivity,
    VirtualClass,
    WaitingState,
)
from bookings.notices.due import record_place
from config.lib.rows import columns_of, make_instance

# Classes with a code; a completed one is refused as ended.
OPEN = [ClassStatus.SCHEDULED, ClassStatus.COMPLETED]
# Written by hand, like ``_open_class``: joins come in bursts, and as querysets the two would add a
# fifth to the CPU of a join (docs/performance.md).
_CLAIMS = (
    'SELECT EXISTS (SELECT 1 FROM "bookings_payment"'
    " WHERE virtual_class_id = %s AND status IN (%s, %s) AND approved_at IS NOT NULL),"
    ' EXISTS (SELECT 1 FROM "bookings_waitinglistentry"'
    " WHERE virtual_class_id = %s AND user_id = %s AND state IN (%s, %s)),"
    ' (SELECT COUNT(*) FROM "bookings_seat"'
    " WHERE open_class_id = %s AND user_id <> %s AND state = %s AND expires_at > %s)"
)


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
    part = _register(user, virtual_class)
    virtual_class.current_participants += 1
    virtual_class.participants_ids.append(str(user.pk))
    note_guests(virtual_class)
    virtual_class.save(
        update_fields=[
            "current_participants",
            "participants_ids",
            "guests_changed_at",
            "updated_at",
        ]
    )
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
    lock = " FOR UPDATE" if connection.features.has_select_for_update else ""
    with connection.cursor() as cursor:
        cursor.execute(_open_class() + lock, [code, *OPEN])
        columns = cursor.fetchone()
    if columns is None:
        raise ClassNotFoundError
    return make_instance(VirtualClass, VirtualClass._meta.concrete_fields, columns)


@cache
def _open_class() -> str:
    columns = columns_of(VirtualClass._meta.concrete_fields, '"bookings_virtualclass"')
    return (  # the names of our columns, and no value
        f'SELECT {columns} FROM "bookings_virtualclass"'  # noqa: S608 # nosec B608
        " WHERE access_code = %s AND status IN (%s, %s)"
    )


def check_place(user: User, virtual_class: VirtualClass) -> bool:
    """Raise as ``join_class``; return True if the person is in line."""
    is_money_gone, is_in_line, held = _read_claims(user, virtual_class)
    if is_money_gone:
        raise ClassNotFoundError
    _refuse(user, virtual_class, virtual_class.free_places - held)
    return is_in_line


def _read_claims(user: User, virtual_class: VirtualClass) -> tuple[bool, bool, int]:
    """Read after the lock: the locking statement may read old values before it waits."""
    key = VirtualClass._meta.pk
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    class_id, user_id = (key.get_db_prep_value(one.pk, connection) for one in (virtual_class, user))
    with connection.cursor() as cursor:
        seats = [class_id, user_id, SeatState.HELD, now]
        cursor.execute(_CLAIMS, [class_id, *MONEY_GONE, class_id, user_id, *IN_LINE, *seats])
        is_money_gone, is_in_line, held = cursor.fetchone()
    return bool(is_money_gone), bool(is_in_line), held


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
    if str(user.pk) in virtual_class.participants_ids:
        raise AlreadyJoinedError


def _register(user: User, virtual_class: VirtualClass) -> UserActivity:
    try:
        return UserActivity.objects.create(
            user=user, virtual_class=virtual_class, rol=Role.PARTICIPANT
        )
    except IntegrityError:
        raise AlreadyJoinedError from None
