"""Time claims: a class takes its time and ends unpaid holds."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.db import Error
from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.models import User
from bookings.availability.agenda import load_agenda
from bookings.availability.periods import Period
from bookings.domain.exceptions import SlotNotOfferedError, SlotTakenError
from bookings.domain.queries import list_holds_over
from bookings.models import ClassStatus, Hold, NoticeKind, VirtualClass
from bookings.notices.due import record_alert, record_due
from config.lib.retries import is_collision


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
    chosen = here.filter(user_id=locked.booked_by_id, virtual_class=None)
    own = Q(virtual_class=locked) | Q(pk__in=chosen.values("pk"))
    Hold.objects.filter(own | Q(expires_at__lte=now)).delete()
    if ends_holds:
        _end_unpaid(here, locked)
    # Only paid ones: the constraint below finds an unpaid hold that was committed since, and the
    # next attempt ends it.
    lasting = here.filter(virtual_class__paid_at__isnull=False) if ends_holds else here
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
        virtual_class=locked,
        expires_at=now,
    ).delete()


def _end_unpaid(here: QuerySet[Hold], winner: VirtualClass) -> None:
    # Classes are locked before their holds, as in a cancellation.
    unpaid = VirtualClass.objects.filter(status=ClassStatus.PENDING, paid_at=None)
    unpaid.filter(pk__in=here.values("virtual_class")).update(
        scheduling_refusal=SlotTakenError.code
    )
    ending = here.filter(Q(virtual_class=None) | Q(virtual_class__paid_at=None))
    for hold in list(ending.select_related("user", "virtual_class")):
        hold_id = hold.pk
        hold.delete()
        occasion = f"{hold_id.hex} {hold.start_time.timestamp():.0f} {hold.minutes}"
        if hold.user.pk == winner.booked_by_id:
            continue
        if hold.virtual_class is not None:
            record_due(NoticeKind.HOLD_LOST, hold.virtual_class, [hold.user.pk], occasion)
        else:
            record_alert(NoticeKind.HOLD_LOST, hold.user, occasion)
