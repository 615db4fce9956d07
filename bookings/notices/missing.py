"""Notices that a class must have and has not."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from accounts.models import User, UserStatus
from bookings.models import NoticeKind, VirtualClass
from bookings.notices.expectations import TEACHER, Expectation, ExpectedNotice

# A planned mail is written by the transaction that makes it due, or by a sweep this early.
PLANNED_AHEAD = timedelta(hours=1)


Expectations = Mapping[NoticeKind, Expectation]


def find_missing(
    virtual_class: VirtualClass,
    expectations: Expectations,
    now: datetime,
    teacher: User | None = None,
) -> list[ExpectedNotice]:
    """Return the missing notices of a class; those to the teacher only if she is given.

    Its activities, log and notices are read: prefetch them for many classes.
    """
    # A mail to an earlier teacher counts, and so does any occasion where none is expected.
    written = Counter(
        key
        for one in virtual_class.notices.all()
        for user_id in (one.user_id, TEACHER)
        for key in {(one.kind, user_id, one.occasion), (one.kind, user_id, "")}
    )
    missing = []
    for expected in _list_expected(virtual_class, expectations, teacher):
        if expected.due_at > now + PLANNED_AHEAD:
            continue
        key = (expected.kind.value, expected.user_id, expected.occasion)
        written[key] -= 1
        if written[key] >= 0:
            continue
        if expected.user_id == TEACHER and teacher:
            expected = replace(expected, user_id=teacher.pk)
        missing.append(expected)
    return missing


def _list_expected(
    virtual_class: VirtualClass, expectations: Expectations, teacher: User | None
) -> Iterator[ExpectedNotice]:
    for kind, expectation in expectations.items():
        for expected in expectation.list_expected(kind, virtual_class):
            if expected.user_id != TEACHER or (
                teacher is not None and expected.due_at >= teacher.created_at
            ):
                yield expected


def without_erased(missing: list[ExpectedNotice]) -> list[ExpectedNotice]:
    """Leave out people who erased their account, and with it their notices."""
    people = {one.user_id for one in missing}
    erased = User.objects.filter(pk__in=people, status=UserStatus.ERASED)
    gone = set(erased.values_list("pk", flat=True)) if people else set()
    return [one for one in missing if one.user_id not in gone]
