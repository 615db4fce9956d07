"""Time claims: a class takes its time and ends unpaid holds."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.db import Error, transaction
from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from bookings.availability.agenda import load_agenda
from bookings.availability.periods import Period
from bookings.domain.exceptions import SlotNotOfferedError, SlotTakenError
from bookings.domain.queries import list_holds_over
from bookings.models import (
    LONGEST_TRANSFER_HOURS,
    ClassStatus,
    Hold,
    HoldQuerySet,
    NoticeKind,
    Purchase,
    PurchaseState,
    VirtualClass,
)
from bookings.notices.due import record_alert, record_due
from config.lib.retries import is_collision, is_due


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
