"""Following a calendar: what changed since the last look, and how far we are.

A push message is only a hint, so the calendar is asked by sync token every few minutes as well.
https://developers.google.com/workspace/calendar/api/guides/sync
"""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from calendar_sync.backend import name_calendar, use_calendar
from calendar_sync.interface import Calendar, CalendarRefusedError, Changes
from calendar_sync.models import SyncState

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Pull:
    """What changed since the last look.

    is_blind: there is no last look to compare with, so anything may have changed.
    since: the token that the changes were asked with.
    """

    changes: Changes
    is_blind: bool
    since: str


def pull_changes(*, refresh_token: str | None) -> Pull:
    """Ask what changed since the last look; of an expired token, begin again.

    Nothing is written: whoever has dealt with the changes calls ``remember``, so a crash in between
    only shows them once more. Raises CalendarError.
    """
    since = _find_state().sync_token

    def pull(calendar: Calendar) -> Pull:
        if since:
            try:
                return Pull(calendar.changes(since), is_blind=False, since=since)
            except CalendarRefusedError:
                logger.info("The calendar's sync token is of no use any more: beginning again.")
        return Pull(calendar.changes(""), is_blind=True, since=since)

    return use_calendar(pull, refresh_token=refresh_token)


def remember(pull: Pull) -> None:
    """Go on from these changes next time.

    Another process that got further meanwhile is not thrown back.
    """
    SyncState.objects.get_or_create(calendar_id=name_calendar())
    SyncState.objects.filter(calendar_id=name_calendar(), sync_token=pull.since).update(
        sync_token=pull.changes.sync_token, synced_at=timezone.now()
    )


def is_comparison_due(every: timedelta) -> bool:
    """True if the last comparison with the whole calendar lies that far back.

    One in the future was noted by a clock that was ahead.
    """
    compared_at, now = _find_state().compared_at, timezone.now()
    return compared_at is None or not now - every < compared_at <= now


def note_comparison() -> None:
    """Write down that the whole calendar was compared just now."""
    SyncState.objects.update_or_create(
        calendar_id=name_calendar(), defaults={"compared_at": timezone.now()}
    )


def find_last_comparison() -> datetime | None:
    """Say when the whole calendar was last compared."""
    return _find_state().compared_at


def _find_state() -> SyncState:
    """Give the state of the calendar that the settings name; the first time, an empty one."""
    state = SyncState.objects.filter(calendar_id=name_calendar()).first()
    return state or SyncState(calendar_id=name_calendar())
