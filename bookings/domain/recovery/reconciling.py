"""Reconciliation of our events in the calendar with our classes."""

import logging
import uuid
from datetime import timedelta

from django.utils import timezone

from accounts.models import User
from bookings.domain.recovery.comparing import Report, compare_all, compare_changed, compare_one
from bookings.domain.recovery.drift import DriftKind
from bookings.domain.recovery.repairs import clear_drift, record_drift, repair
from bookings.models import VirtualClass
from calendar_sync import CalendarError, CalendarRefusedError, Changes

logger = logging.getLogger(__name__)

# A recent write may not have reached all of the provider's replicas.
SETTLING_TIME = timedelta(minutes=2)
# At least five events and more than half of all deleted or moved: probably another calendar or
# account. Only the teacher may repair those.
MANY, MOST = 5, 0.5
# Reasons why a drift was not repaired.
REFUSED, UNAVAILABLE = "calendar_refused", "calendar_unavailable"
NEEDS_TEACHER = "needs_a_person"
GRAVE = {DriftKind.DELETED, DriftKind.MOVED}


def inspect() -> Report:
    """Compare, without writing. Raises CalendarError."""
    return compare_all(timezone.now())


def reconcile(*, actor: User | None = None, with_unknown: bool = False) -> Report:
    """Compare and repair all drifts, on request. Raises CalendarError, without writing.

    with_unknown: also remove events without a stored class, which ``rebuilding`` may need.
    """
    report = compare_all(timezone.now())
    _repair_all(report, actor=actor, with_unknown=with_unknown, on_request=True)
    return report


def reconcile_automatically() -> Report:
    """Compare; repair unless suspiciously many differ. Raises CalendarError."""
    now = timezone.now()
    report = compare_all(now, settled_before=now - SETTLING_TIME)
    _repair_cautiously(report)
    return report


def reconcile_changes(changes: Changes) -> Report:
    """Compare changed classes; repair unless suspiciously many differ. Raises CalendarError."""
    now = timezone.now()
    report = compare_changed(changes, now, settled_before=now - SETTLING_TIME)
    _repair_cautiously(report)
    return report


def reconcile_class(*, class_id: uuid.UUID, actor: User) -> VirtualClass:
    """Compare one class and repair it, unless its event is unknown. Raises CalendarError."""
    report = compare_one(class_id)
    for finding in report.findings:
        is_known = finding.drift.kind != DriftKind.UNKNOWN
        if is_known and record_drift(finding.drift, with_mail=False):
            repair(finding.drift, actor=actor)
    _clear_recovered(report)
    return VirtualClass.objects.get(pk=class_id)


def _repair_cautiously(report: Report) -> None:
    grave = [one for one in report.findings if one.drift.kind in GRAVE]
    if len(grave) < MANY or len(grave) <= MOST * report.classes:
        _repair_all(report)
        return
    logger.error("%d of %d classes differ from the calendar.", len(grave), report.classes)
    for number, finding in enumerate(grave):
        record_drift(finding.drift, with_mail=number == 0, is_one_of_many=True)
    for finding in report.findings:
        finding.problem = "too_many"


def _repair_all(
    report: Report,
    *,
    actor: User | None = None,
    with_unknown: bool = False,
    on_request: bool = False,
) -> None:
    """A failure does not stop the others; without ``on_request`` recurring events stay."""
    for finding in report.findings:
        drift = finding.drift
        if drift.kind == DriftKind.UNKNOWN and not with_unknown:
            finding.problem = NEEDS_TEACHER
            continue
        if not record_drift(drift):
            finding.problem = "class_changed_meanwhile"
            continue
        if drift.recurs and not on_request:
            finding.problem = NEEDS_TEACHER
            continue
        try:
            repair(drift, actor=actor)
        except CalendarError as error:
            logger.warning("Class %s is not repaired: %s", drift.class_id, type(error).__name__)
            is_final = isinstance(error, CalendarRefusedError)
            finding.problem = REFUSED if is_final else UNAVAILABLE
        else:
            finding.is_repaired = True
    _clear_recovered(report)


def _clear_recovered(report: Report) -> None:
    for class_id, version in report.recovered.items():
        clear_drift(class_id, version)
