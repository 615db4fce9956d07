"""The deadline of an open class keeps its distance to the class."""

from datetime import datetime, timedelta

from bookings.models import MinimumDecision, OpenClass, VirtualClass


def move_deadline(locked: VirtualClass, by: timedelta, now: datetime) -> None:
    """Move the deadline with a class, if it is still to come, but not before ``now``."""
    open_class = OpenClass.objects.filter(pk=locked.pk, decision=MinimumDecision.WAITING).first()
    if open_class is not None:
        open_class.decides_at = max(open_class.decides_at + by, now)
        open_class.save(update_fields=["decides_at"])
