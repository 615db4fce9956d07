"""The deadline and kept seats of an open class that moves."""

from datetime import datetime, timedelta

from bookings.models import (
    BookingRules,
    MinimumDecision,
    NoticeKind,
    OpenClass,
    SeatState,
    VirtualClass,
)
from bookings.notices.due import plan_mail


def move_deadline(locked: VirtualClass, by: timedelta, now: datetime) -> None:
    """Move an undecided deadline, but not before ``now``.

    Seats that are kept for a transfer end with it at the latest.
    """
    open_class = OpenClass.objects.filter(pk=locked.pk).first()
    if open_class is None:
        return
    if open_class.decision == MinimumDecision.WAITING:
        open_class.decides_at = max(open_class.decides_at + by, now)
        open_class.save(update_fields=["decides_at"])
    latest = max(find_latest_end(locked.start_time, open_class), now)
    kept = open_class.seats.filter(state=SeatState.HELD, for_transfer=True, expires_at__gt=latest)
    for seat in kept:
        seat.expires_at = latest
        seat.save(update_fields=["expires_at", "updated_at"])
        kind = NoticeKind.SEAT_TRANSFER_OVER
        plan_mail(kind, locked, seat.user_id, due_at=latest, occasion=str(seat.pk))


def hastens_refunds(moved: VirtualClass, by: timedelta) -> bool:
    """True if the minimum of a paid open class, not reached yet, is decided earlier."""
    open_class = OpenClass.objects.filter(pk=moved.pk, decision=MinimumDecision.WAITING).first()
    return (
        open_class is not None
        and by < timedelta(0)
        and moved.guest_count < open_class.minimum
        and open_class.seats.filter(
            state=SeatState.TAKEN, payment__approved_at__isnull=False
        ).exists()
    )


def find_latest_end(start: datetime, open_class: OpenClass | None = None) -> datetime:
    """Return until when a time may be kept for a transfer.

    open_class: of a seat, which ends with the undecided deadline at the latest.
    """
    latest = start - timedelta(minutes=BookingRules.load().minimum_notice_minutes)
    if open_class is not None and open_class.decision == MinimumDecision.WAITING:
        latest = min(latest, open_class.decides_at)
    return latest
