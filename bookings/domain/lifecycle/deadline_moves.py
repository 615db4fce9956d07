"""The deadline and kept places of an open class that moves."""

from datetime import datetime, timedelta

from bookings.models import (
    BookingRules,
    MinimumDecision,
    MoneyWay,
    NoticeKind,
    OpenClass,
    PurchaseKind,
    PurchaseState,
    VirtualClass,
)
from bookings.notices.due import plan_mail


def move_deadline(locked: VirtualClass, by: timedelta, now: datetime) -> None:
    """Move an undecided deadline, but not before ``now``.

    Places that are kept for a transfer end with it at the latest.
    """
    open_class = OpenClass.objects.filter(pk=locked.pk).first()
    if open_class is None:
        return
    if open_class.decision == MinimumDecision.WAITING:
        open_class.decides_at = max(open_class.decides_at + by, now)
        open_class.save(update_fields=["decides_at"])
    latest = max(find_latest_end(locked.start_time, open_class), now)
    places = locked.purchases.places().filter(kept_for=MoneyWay.TRANSFER)
    for place in places.kept(latest):
        place.kept_until = latest
        place.save(update_fields=["kept_until", "updated_at"])
        kind = NoticeKind.SEAT_TRANSFER_OVER
        plan_mail(kind, locked, place.person_id, due_at=latest, occasion=str(place.pk))


def hastens_refunds(moved: VirtualClass, by: timedelta) -> bool:
    """True if the minimum of a paid open class, not reached yet, is decided earlier."""
    open_class = OpenClass.objects.filter(pk=moved.pk, decision=MinimumDecision.WAITING).first()
    return (
        open_class is not None
        and by < timedelta(0)
        and moved.guest_count < open_class.minimum
        and moved.purchases.filter(
            kind=PurchaseKind.PLACE,
            state=PurchaseState.PAID,
            payment__approved_at__isnull=False,
        ).exists()
    )


def find_latest_end(start: datetime, open_class: OpenClass | None = None) -> datetime:
    """Return until when a time may be kept for a transfer.

    open_class: of a place, which ends with the undecided deadline at the latest.
    """
    latest = start - timedelta(minutes=BookingRules.load().minimum_notice_minutes)
    if open_class is not None and open_class.decision == MinimumDecision.WAITING:
        latest = min(latest, open_class.decides_at)
    return latest
