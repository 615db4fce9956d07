"""Joining: a guest takes a place in a scheduled class by its access code.

A code has eight characters. Wrong ones are limited by person and by address.
"""

import logging
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from accounts.selectors import find_teacher
from bookings.domain.exceptions import (
    AlreadyJoinedError,
    ClassEndedError,
    ClassFullError,
    ClassNotFoundError,
    OwnClassError,
    PlaceHeldError,
    PlaceOfferedError,
    TooManyAttemptsError,
)
from bookings.domain.history import record_event
from bookings.domain.places.participants import (
    add_guest,
    is_kept_for_another,
    list_held_places,
    offer_free_place,
)
from bookings.domain.queries import get_class, list_classes_of, list_money_gone
from bookings.models import (
    ClassEvent,
    ClassStatus,
    NoticeKind,
    VirtualClass,
    WaitingState,
)
from bookings.notices.due import record_alert, record_place
from config.lib.throttling import Count, count_one, give_back, seconds_left

logger = logging.getLogger(__name__)


# Classes with a code; a completed one is refused as ended.
OPEN = [ClassStatus.SCHEDULED, ClassStatus.COMPLETED]
LENGTH = 8
# Without 0, O, 1 and I, which people mistake for each other when they read a code aloud.
ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"

# No limit for all people together: a few accounts could use it up. A thousand accounts that guess
# for a year try 1 in 1,000 of all codes.
WINDOW = timedelta(minutes=10)
# The teacher gets at most one mail within it.
WAVE = timedelta(days=1)


_CODE = re.compile(r"[0-9A-Za-z]{8}", re.ASCII)
_SEPARATORS = re.compile(r"[\s\-]+")


def generate_access_code() -> str:
    """Spec: Limits, access code length."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def drop_separators(text: str) -> str:
    return _SEPARATORS.sub("", text)


def normalize_access_code(text: str) -> str | None:
    """Return a typed code in capitals, without separators; None if it is none."""
    code = drop_separators(text)
    # Checked before it is upper-cased: the capitals of "ß" are "SS".
    return code.upper() if _CODE.fullmatch(code) else None


def read_access_code(text: str) -> str:
    """Raises ClassNotFoundError."""
    code = normalize_access_code(text)
    if code is None:
        raise ClassNotFoundError
    return code


@contextmanager
def limit_wrong_codes(*, user: User, address: str) -> Iterator[None]:
    """Count a try; it stays counted only if the block raises ClassNotFoundError.

    Raises TooManyAttemptsError before the block, for right codes too. address: empty if unknown.
    """
    counts: list[Count] = []
    try:
        # Counted before the look-up: many tries at once do not exceed the limit. The person's count
        # comes first: a refused person uses up nothing of the address.
        counts.append(count_one("wrong-codes", user.pk, window=WINDOW))
        _refuse_beyond(settings.MAX_WRONG_CODES, counts[0])
        if address:
            counts.append(count_one("wrong-codes", address, window=WINDOW))
            if counts[0].number > 1:  # an address never refuses a person's first try
                _refuse_beyond(settings.MAX_WRONG_CODES_OF_ADDRESS, counts[1])
        yield
    except ClassNotFoundError:
        counts.clear()  # nothing to give back: they stay counted
        raise
    finally:
        for count in counts:
            give_back(count)


def _refuse_beyond(most: int, count: Count) -> None:
    if count.number > most:
        _report()
        raise TooManyAttemptsError(wait_seconds=seconds_left(WINDOW))


def _report() -> None:
    today = timezone.localdate().isoformat()
    if not cache.add(f"guessing-reported:{today}", 1, timeout=WAVE.total_seconds()):
        return
    logger.warning("A person tries one wrong access code after the other.")
    teacher = find_teacher()
    if teacher is not None:
        record_alert(NoticeKind.GUESSING, teacher, today)


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
    check_place(user, virtual_class)
    part = add_guest(virtual_class, user)
    record_event(virtual_class, ClassEvent.JOINED, actor=user, details={"person": str(user.pk)})
    # A guest who left and comes back has another activity, and gets another mail.
    record_place(NoticeKind.JOINED, virtual_class, user.pk, occasion=str(part.pk))
    entries = user.waiting_list_entries.open().filter(virtual_class=virtual_class)
    if entries.update(state=WaitingState.CLAIMED, offered_at=None, offer_expires_at=None):
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


def check_place(user: User, virtual_class: VirtualClass) -> None:
    """Raise as ``join_class``."""
    if list_money_gone(virtual_class.pk).exists():
        raise ClassNotFoundError
    if virtual_class.is_hosted_by(user):
        raise OwnClassError
    if virtual_class.status == ClassStatus.COMPLETED or virtual_class.has_ended():
        raise ClassEndedError
    if virtual_class.is_full:
        raise ClassFullError
    # Not part of the locking statement, which may have read old rows before it got the lock.
    held = list_held_places(virtual_class, timezone.now()).exclude(person=user)
    free_places = virtual_class.free_places - held.count()
    if free_places <= 0:
        raise PlaceHeldError
    if is_kept_for_another(virtual_class, user, free_places):
        raise PlaceOfferedError
    if virtual_class.activities.filter(user=user).exists():
        raise AlreadyJoinedError
