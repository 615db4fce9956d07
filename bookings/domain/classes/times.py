"""The time of a class: claimed from unpaid holds, and kept by the wall clock.

When a zone's rules change, a row with an outdated UTC offset moves, with its event and reminders,
without cut-off and refund.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import DatabaseError, Error, transaction
from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from bookings.availability.agenda import load_agenda
from bookings.availability.slots import Period
from bookings.domain.exceptions import SlotNotOfferedError, SlotTakenError
from bookings.domain.history import record_event
from bookings.domain.queries import list_holds_over, list_overlapping_scheduled
from bookings.domain.teacher_alerts import tell_teacher
from bookings.models import (
    LONGEST_TRANSFER_HOURS,
    BookingRules,
    ClassEvent,
    ClassStatus,
    Hold,
    HoldQuerySet,
    MinimumDecision,
    MoneyWay,
    NoticeKind,
    OpenClass,
    Purchase,
    PurchaseState,
    VirtualClass,
)
from bookings.notices.due import plan_mail, record_alert, record_due, replan_reminders
from bookings.notices.to_teacher import LAW_CONFLICT
from config.lib.retries import is_collision, is_due
from config.lib.wall_time import find_offset

logger = logging.getLogger(__name__)

AHEAD = (ClassStatus.PENDING, ClassStatus.SCHEDULED)


def refuse_unoffered(
    *,
    user: User,
    start: datetime,
    length: timedelta,
    moving: VirtualClass | None = None,
    retaking: Period | None = None,
) -> None:
    """Raise SlotTakenError, SlotNotOfferedError or CalendarError unless the pages offer a time.

    user, moving, retaking: as for ``load_agenda``.
    """
    first_day, last_day = timezone.localdate(start), timezone.localdate(start + length)
    agenda = load_agenda(first_day, last_day, user=user, moving=moving, retaking=retaking)
    if agenda.offers(start, length):
        return
    if agenda.ignoring_busy_times().offers(start, length):
        raise SlotTakenError
    raise SlotNotOfferedError


@contextmanager
def racing_for_time() -> Iterator[None]:
    """Raise SlotTakenError if the time was taken between check and write."""
    try:
        yield
    except Error as error:
        if is_collision(error):
            raise SlotTakenError from error
        raise


def claim_time(locked: VirtualClass, now: datetime, *, ends_holds: bool) -> None:
    """Take the time of a locked class.

    ends_holds: if True, end unpaid holds over it and mail their owners. If False, or for a paid
    class's hold, raise SlotTakenError. A hold stored at the same moment raises IntegrityError:
    retry in a new transaction.
    """
    here = list_holds_over(locked)
    purchase = locked.purchase
    chosen = here.chosen().filter(user_id=locked.booked_by_id)
    own = Q(purchase__virtual_class=locked) | Q(pk__in=chosen.values("pk"))
    Hold.objects.filter(own).delete()
    delete_expired_holds()
    if ends_holds:
        end_unpaid(here, locked, now)
    # Only paid ones: the constraint below finds an unpaid hold that was committed since, and the
    # next attempt ends it.
    lasting = here.filter(purchase__paid_at__isnull=False) if ends_holds else here
    if lasting.exists():
        raise SlotTakenError
    # The exclusion constraint makes this wait for a hold that another transaction is storing. The
    # row is deleted at once, and the other transaction then finds the class.
    Hold.objects.create(
        user_id=locked.booked_by_id,
        start_time=locked.start_time,
        end_time=locked.end_time,
        utc_offset=locked.utc_offset,
        class_type=locked.class_type,
        purchase=purchase,
        expires_at=None if purchase else now,
    ).delete()


@transaction.atomic(savepoint=False)
def delete_expired_holds() -> int:
    longest = timedelta(hours=LONGEST_TRANSFER_HOURS)
    booked = Hold.objects.filter(is_due("purchase__kept_until", longest))
    # Locked with their purchases, one of which is perhaps being kept longer.
    over = booked.select_for_update(skip_locked=True).values("pk")
    return Hold.objects.filter(is_due("expires_at", longest) | Q(pk__in=over)).delete()[0]


def end_unpaid(here: HoldQuerySet, winner: VirtualClass, now: datetime) -> None:
    # Classes and purchases are locked before their holds, as in a cancellation.
    losing = Purchase.objects.filter(hold__in=here.values("pk"), state=PurchaseState.KEPT)
    losers = list(losing.values_list("pk", "virtual_class"))
    VirtualClass.objects.filter(
        pk__in=[class_id for _, class_id in losers], status=ClassStatus.PENDING
    ).update(scheduling_refusal=SlotTakenError.code)
    Purchase.objects.filter(pk__in=[key for key, _ in losers], state=PurchaseState.KEPT).update(
        state=PurchaseState.LAPSED, kept_until=now
    )
    ending = here.filter(Q(purchase=None) | Q(purchase__paid_at=None))
    for hold in list(ending.select_related("user", "purchase__virtual_class")):
        hold_id, booked = hold.pk, hold.purchase.virtual_class if hold.purchase else None
        hold.delete()
        occasion = f"{hold_id.hex} {hold.start_time.timestamp():.0f} {hold.minutes}"
        if hold.user.pk == winner.booked_by_id:
            continue
        if booked is not None:
            record_due(NoticeKind.HOLD_LOST, booked, [hold.user.pk], occasion)
        else:
            record_alert(NoticeKind.HOLD_LOST, hold.user, occasion)


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


def find_latest_end(start: datetime, open_class: OpenClass | None = None) -> datetime:
    """Return until when a time may be kept for a transfer.

    open_class: of a place, which ends with the undecided deadline at the latest.
    """
    latest = start - timedelta(minutes=BookingRules.load().minimum_notice_minutes)
    if open_class is not None and open_class.decision == MinimumDecision.WAITING:
        latest = min(latest, open_class.decides_at)
    return latest


class StaleLawError(Exception):
    """This process has older zone rules than the machine."""


@dataclass(frozen=True, slots=True)
class Shift:
    """wall_time: the agreed hour."""

    row: VirtualClass | Hold
    wall_time: datetime
    start: datetime


def keep_wall_times() -> int:
    """Return how many rows moved. Raises StaleLawError."""
    return sum(apply_shift(shift) for shift in find_shifts())


def find_shifts() -> list[Shift]:
    """List shifts so that consecutive classes make room. Raises StaleLawError."""
    zone, newest = ZoneInfo(settings.TIME_ZONE), ZoneInfo.no_cache(settings.TIME_ZONE)
    shifts = []
    now = timezone.now()
    classes = VirtualClass.objects.filter(status__in=AHEAD, start_time__gt=now)
    rows: list[VirtualClass | Hold] = [*classes, *Hold.objects.filter(start_time__gt=now)]
    for row in rows:
        local = row.start_time.astimezone(zone)
        if local.utcoffset() != row.start_time.astimezone(newest).utcoffset():
            raise StaleLawError
        if row.utc_offset != find_offset(row.start_time):
            moment = row.start_time.astimezone(UTC).replace(tzinfo=None)
            wall_time = moment + timedelta(minutes=row.utc_offset)
            start = wall_time.replace(tzinfo=zone).astimezone(UTC)
            shifts.append(Shift(row, wall_time, start))
    return sorted(shifts, key=_order)


def apply_shift(shift: Shift) -> bool:
    """Return False if the time is taken or the row has changed."""
    try:
        return _move(shift)
    except (DatabaseError, SlotTakenError) as error:
        logger.warning("%s keeps its instant: %s", shift.row.pk, type(error).__name__)
        if isinstance(shift.row, VirtualClass):
            occasion = f"{LAW_CONFLICT} {shift.start:%Y%m%dT%H%M}"
            tell_teacher(NoticeKind.CALENDAR_CHANGED, shift.row, occasion)
        return False


def _order(shift: Shift) -> tuple[bool, int]:
    start = int(shift.row.start_time.timestamp())
    moves_earlier = shift.start < shift.row.start_time
    return moves_earlier, start if moves_earlier else -start


@transaction.atomic
def _move(shift: Shift) -> bool:
    before = shift.row
    same = type(before).objects.filter(start_time=before.start_time, utc_offset=before.utc_offset)
    locked = same.select_for_update().filter(pk=before.pk).first()
    is_over = isinstance(locked, VirtualClass) and locked.status not in AHEAD
    if locked is None or is_over:
        return False  # changed meanwhile, or another worker has moved it
    locked.end_time += shift.start - locked.start_time
    locked.start_time, locked.utc_offset = shift.start, find_offset(shift.start)
    if isinstance(locked, VirtualClass) and locked.is_scheduled:
        if list_overlapping_scheduled(locked).exists():
            raise SlotTakenError
        locked.ics_sequence += 1
        locked.event_update_requested_at = timezone.now()
    locked.save()
    if isinstance(locked, VirtualClass):
        move_deadline(locked, shift.start - before.start_time, timezone.now())
        if locked.is_scheduled:
            _announce(locked, shift)
    return True


def _announce(locked: VirtualClass, shift: Shift) -> None:
    event, kind = ClassEvent.ZONE_CHANGED, NoticeKind.ZONE_CHANGED
    local = timezone.make_naive(shift.start, ZoneInfo(settings.TIME_ZONE))
    if local != shift.wall_time:  # the new rules skip the agreed hour
        event, kind = ClassEvent.RESCHEDULED, NoticeKind.RESCHEDULED
    times = {"from": shift.row.start_time.isoformat(), "to": locked.start_time.isoformat()}
    record_event(locked, event, details=times)
    people = locked.activities.values_list("user_id", flat=True)
    record_due(kind, locked, people, occasion=str(locked.ics_sequence))
    replan_reminders(locked)
