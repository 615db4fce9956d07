"""Reconciling: what is ours in the calendar is set right by our classes.

A call that fails leaves every row as it was: the comparison comes first, and whole.
"""

import logging
import uuid
from datetime import timedelta

from django.utils import timezone

from accounts.models import User
from bookings.domain.recovery.comparing import Report, compare_all, compare_changed, compare_one
from bookings.domain.recovery.drift import DriftKind
from bookings.domain.recovery.repairs import mend, note_drift, note_no_drift
from bookings.models import VirtualClass
from calendar_sync import CalendarError, CalendarRefusedError, Changes

logger = logging.getLogger(__name__)

# A class that was written a moment ago may not have reached every one of the provider's copies.
SETTLING_TIME = timedelta(minutes=2)
# So many events gone or moved, and more than half of all, are no slip of a hand: it is another
# calendar, or another account. Nothing is mended then unless a person says so.
MANY, MOST = 5, 0.5
# Why a drift was not mended.
REFUSED, UNAVAILABLE = "calendar_refused", "calendar_unavailable"
NEEDS_A_PERSON = "needs_a_person"
GRAVE = {DriftKind.DELETED, DriftKind.MOVED}


def inspect() -> Report:
    """Compare every class that lies ahead with the calendar, and write nothing.

    Raises CalendarError when the calendar does not answer in full.
    """
    return compare_all(timezone.now())


def reconcile(*, actor: User | None = None, with_unknown: bool = False) -> Report:
    """Compare every class that lies ahead with the calendar, and mend what is ours.

    For a person who asks for it: many differences at once are mended as well.
    with_unknown: remove events of ours whose class knows nothing of them, too. They may be all
        that is left of it, so nobody does that unasked: see ``rebuilding``.
    Raises CalendarError, having written nothing, when the calendar does not answer in full.
    """
    report = compare_all(timezone.now())
    _settle(report, actor=actor, with_unknown=with_unknown, is_asked=True)
    return report


def reconcile_by_itself() -> Report:
    """Compare and mend without anybody having asked: carefully.

    What was written a moment ago is not missed yet, and many differences at once are only told.
    """
    now = timezone.now()
    report = compare_all(now, settled_before=now - SETTLING_TIME)
    _settle_carefully(report)
    return report


def follow(changes: Changes) -> Report:
    """Look again at the classes whose events changed, and mend what is ours, carefully."""
    now = timezone.now()
    report = compare_changed(changes, now, settled_before=now - SETTLING_TIME)
    _settle_carefully(report)
    return report


def reconcile_class(*, class_id: uuid.UUID, actor: User) -> VirtualClass:
    """Compare one class with its event and mend it, as somebody asked.

    An event that the class knows nothing of stays: see ``rebuilding``. Raises CalendarError; what
    was not mended stays marked.
    """
    report = compare_one(class_id)
    for finding in report.findings:
        is_known = finding.drift.kind != DriftKind.UNKNOWN
        if is_known and note_drift(finding.drift, is_told=False):
            mend(finding.drift, actor=actor)
    _note_recovered(report)
    return VirtualClass.objects.get(pk=class_id)


def _settle_carefully(report: Report) -> None:
    """Mend, unless so much is gone or moved that it is no slip of a hand."""
    grave = [one for one in report.findings if one.drift.kind in GRAVE]
    if len(grave) < MANY or len(grave) <= MOST * report.classes:
        _settle(report)
        return
    logger.error("%d of %d classes differ from the calendar.", len(grave), report.classes)
    for number, finding in enumerate(grave):
        note_drift(finding.drift, is_told=number == 0, is_one_of_many=True)
    for finding in report.findings:
        finding.problem = "too_many"


def _settle(
    report: Report,
    *,
    actor: User | None = None,
    with_unknown: bool = False,
    is_asked: bool = False,
) -> None:
    """Write each drift down, tell the teacher, and mend it. One that fails stops no other.

    is_asked: by a person. An event that was made recurring is left alone otherwise.
    """
    for finding in report.findings:
        drift = finding.drift
        if drift.kind == DriftKind.UNKNOWN and not with_unknown:
            finding.problem = NEEDS_A_PERSON
            continue
        if not note_drift(drift):
            finding.problem = "class_changed_meanwhile"
            continue
        if drift.recurs and not is_asked:
            finding.problem = NEEDS_A_PERSON
            continue
        try:
            mend(drift, actor=actor)
        except CalendarError as error:
            logger.warning("Class %s is not mended: %s", drift.class_id, type(error).__name__)
            is_final = isinstance(error, CalendarRefusedError)
            finding.problem = REFUSED if is_final else UNAVAILABLE
        else:
            finding.is_mended = True
    _note_recovered(report)


def _note_recovered(report: Report) -> None:
    for class_id, version in report.recovered.items():
        note_no_drift(class_id, version)
