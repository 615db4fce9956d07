"""The teacher's grant: how her calendar is opened with it, its age, and what follows its end."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from accounts.selectors import find_calendar_owner, find_user_by_email
from accounts.services import mark_grant_alive, mark_grant_revoked
from bookings.models import SERVICE_ACCOUNT, Heartbeat, NoticeKind
from bookings.notices.due import record_alert
from calendar_sync import (
    Calendar,
    CalendarError,
    CalendarNotConnectedError,
    forget_upcoming_events,
    get_calendar,
    writers_turn,
)

logger = logging.getLogger(__name__)

RISKY_FROM = timedelta(days=5)
RISKY_UNTIL = timedelta(days=7, hours=12)


@contextmanager
def owners_calendar() -> Iterator[Calendar]:
    """Open the calendar that classes go to, for one write.

    Only so many may wait for it at a time: beyond them CalendarUnavailableError comes at once. A
    grant that turns out to be revoked is noted and told once; from then on nobody asks with it, and
    CalendarNotConnectedError comes at once.
    """
    owner = find_calendar_owner()
    if is_revoked(owner):
        raise CalendarNotConnectedError("The grant is known to be revoked.")
    with writers_turn():
        try:
            yield open_calendar(owner)
        except CalendarNotConnectedError:
            _note_end(owner)
            raise
        finally:
            # Even a failure may have changed what is in the calendar.
            forget_upcoming_events()


def open_calendar(owner: User | None) -> Calendar:
    """Open the calendar with the owner's grant, or the service account's when there is no owner."""
    return get_calendar(refresh_token=owner.provider_refresh_token if owner else None)


def is_revoked(owner: User | None) -> bool:
    """Whether we know that the grant is of no use any more."""
    return owner is not None and owner.provider_token_revoked_at is not None


def refused_since(owner: User | None) -> datetime | None:
    """Say since when Google refuses the grant, or the service account in its place, if it does.

    For the grant it costs nothing, for a service account one query.
    """
    if owner is not None:
        return owner.provider_token_revoked_at
    if not settings.CALENDAR_SERVICE_ACCOUNT:
        return None
    row = Heartbeat.objects.filter(name=SERVICE_ACCOUNT)
    return row.values_list("failed_at", flat=True).first()


def describe_grant(owner: User | None, *, is_down: bool) -> str:
    """Say in a word whether the calendar can be asked: ``ok``, ``down``, ``at_risk`` and so on.

    is_down: whether it is left alone because it fails.
    """
    if owner is None and not settings.CALENDAR_SERVICE_ACCOUNT:
        return "not_connected"
    if refused_since(owner):
        return "revoked"
    if is_down:
        return "down"
    return "at_risk" if is_at_risk(owner) else "ok"


def is_at_risk(owner: User | None) -> bool:
    """Whether the grant may end soon for its age.

    Google ends the grants of an application in testing after seven days, and tells nobody which
    those are; one that lived longer is none of them. It also ends what nobody used for six months,
    which the hourly check keeps from happening.
    https://developers.google.com/identity/protocols/oauth2#expiration
    """
    if owner is None or owner.provider_token_saved_at is None or is_revoked(owner):
        return False
    age = timezone.now() - owner.provider_token_saved_at
    return RISKY_FROM <= age < RISKY_UNTIL


def check_calendar_grant() -> int:
    """Use the teacher's grant, or the service account, for one cheap call; 1 if it works.

    To learn early that it is gone. A calendar that cannot be reached says nothing about that.
    """
    owner = find_calendar_owner()
    if owner is None and not settings.CALENDAR_SERVICE_ACCOUNT:
        return 0
    try:
        open_calendar(owner).check_grant()
    except CalendarNotConnectedError:
        _note_end(owner)
        return 0
    except CalendarError as error:
        logger.info("The grant could not be checked: %s", type(error).__name__)
        return 0
    if owner is None:
        _note_accepted_service_account()
        return 1
    mark_grant_alive(user=owner)
    if is_at_risk(owner):
        record_alert(NoticeKind.GRANT_AT_RISK, owner, grant_id(owner))
    return 1


def _note_end(owner: User | None) -> None:
    """Note that whatever opened the calendar is refused."""
    if owner:
        note_revoked_grant(owner)
    else:
        _note_refused_service_account()


@transaction.atomic
def note_revoked_grant(owner: User) -> None:
    """Remember that the grant is gone, and promise the teacher one mail about it."""
    if mark_grant_revoked(user=owner):
        logger.error("The calendar's grant was revoked: nothing is scheduled until it is renewed.")
        record_alert(NoticeKind.GRANT_REVOKED, owner, grant_id(owner))


@transaction.atomic
def _note_refused_service_account() -> None:
    """Remember that Google refuses the service account, and promise the teacher one mail about it.

    One until the hourly check finds it accepted again. A teacher who never signed in has no
    address that is known to be hers, and hears of it once she did.
    """
    if not settings.CALENDAR_SERVICE_ACCOUNT:
        return
    Heartbeat.objects.get_or_create(name=SERVICE_ACCOUNT)
    row = Heartbeat.objects.filter(name=SERVICE_ACCOUNT)
    if row.filter(failed_at=None).update(failed_at=timezone.now()):
        logger.error("The service account is refused: nothing is scheduled until it is accepted.")
    teacher, since = find_user_by_email(settings.ADMIN_EMAIL), refused_since(None)
    if teacher and since:
        # Whoever was told of this is not told again: the occasion is the same.
        record_alert(NoticeKind.ACCOUNT_REFUSED, teacher, since.isoformat())


def _note_accepted_service_account() -> None:
    Heartbeat.objects.filter(name=SERVICE_ACCOUNT, failed_at__isnull=False).update(
        failed_at=None, beat_at=timezone.now()
    )


def grant_id(owner: User) -> str:
    """Tell a grant from those before and after it: by when it was given."""
    saved_at = owner.provider_token_saved_at
    return saved_at.isoformat() if saved_at else ""
