"""Reconcile our events in the calendar with our classes."""

import logging
import uuid
from datetime import timedelta

from django.utils import timezone

from accounts.models import User
from bookings.domain.recovery.comparing import Report, compare_all, compare_each
from bookings.domain.recovery.drift import UNKNOWN, Drift
from bookings.domain.recovery.repairs import clear_drift, record_drift, repair
from bookings.models import CalendarDrift, VirtualClass
from calendar_sync import CalendarError, CalendarRefusedError

logger = logging.getLogger(__name__)

# A recent write may not have reached all of the provider's replicas.
SETTLING_TIME = timedelta(minutes=2)
# At least five events and more than half of all deleted or moved: probably another calendar or
# account. Only the teacher may repair those.
MANY, MOST = 5, 0.5
# Reasons why a drift was not repaired.
REFUSED, UNAVAILABLE = "calendar_refused", "calendar_unavailable"
NEEDS_TEACHER = "needs_a_person"
GRAVE = {CalendarDrift.DELETED, CalendarDrift.MOVED}


def reconcile(*, with_unknown: bool = False) -> Report:
    """Compare and repair all drifts. Raises CalendarError, without writing.

    with_unknown: also remove events without a stored class, the only trace after a restore.
    """
    report = compare_all()
    for drift in report.findings:
        is_kept = drift.kind == UNKNOWN and not with_unknown
        drift.problem = NEEDS_TEACHER if is_kept else _repair(drift)
    _clear_recovered(report)
    return report


def reconcile_automatically() -> Report:
    """Repair unless suspiciously many differ. Raises CalendarError."""
    report = compare_all(settled_before=timezone.now() - SETTLING_TIME)
    grave = [drift for drift in report.findings if drift.kind in GRAVE]
    if len(grave) >= MANY and len(grave) > MOST * report.classes:
        logger.error("%d of %d classes differ from the calendar.", len(grave), report.classes)
        for number, drift in enumerate(grave):
            record_drift(drift, with_mail=number == 0, is_one_of_many=True)
        for drift in report.findings:
            drift.problem = "too_many"
        return report
    for drift in report.findings:
        drift.problem = NEEDS_TEACHER if drift.kind == UNKNOWN else _repair(drift, recurring=False)
    _clear_recovered(report)
    return report


def reconcile_class(*, class_id: uuid.UUID, actor: User) -> VirtualClass:
    """Compare and repair one class. Raises CalendarError."""
    report = compare_each([class_id], Report())
    for drift in report.findings:
        if drift.kind != UNKNOWN and record_drift(drift, with_mail=False):
            repair(drift, actor=actor)
    _clear_recovered(report)
    return VirtualClass.objects.get(pk=class_id)


def _repair(drift: Drift, *, recurring: bool = True) -> str:
    """Return the problem, if any."""
    if not record_drift(drift):
        return "class_changed_meanwhile"
    if drift.recurs and not recurring:
        return NEEDS_TEACHER
    try:
        repair(drift)
    except CalendarError as error:
        logger.warning("Class %s is not repaired: %s", drift.class_id, type(error).__name__)
        return REFUSED if isinstance(error, CalendarRefusedError) else UNAVAILABLE
    return ""


def _clear_recovered(report: Report) -> None:
    for class_id, version in report.recovered.items():
        clear_drift(class_id, version)
