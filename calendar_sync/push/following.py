"""Read a calendar's changes by sync token; push messages are only hints.

https://developers.google.com/workspace/calendar/api/guides/sync
"""

import logging
from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from calendar_sync.backend import Calendar, use_calendar
from calendar_sync.calendar_name import name_calendar
from calendar_sync.interface import CalendarRefusedError, Changes
from calendar_sync.models import SyncState

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Pull:
    """is_blind: True without a usable token. since: the token used."""

    changes: Changes
    is_blind: bool
    since: str


def pull_changes(*, refresh_token: str | None) -> Pull:
    """Read the changes since the last look; with an expired token, begin again.

    Writes nothing: call ``remember`` afterwards. Raises CalendarError.
    """
    since = find_state().sync_token

    def pull(calendar: Calendar) -> Pull:
        if since:
            try:
                return Pull(calendar.changes(since), is_blind=False, since=since)
            except CalendarRefusedError:
                logger.info("The calendar's sync token is of no use any more: beginning again.")
        return Pull(calendar.changes(""), is_blind=True, since=since)

    return use_calendar(pull, refresh_token=refresh_token)


def remember(pull: Pull) -> None:
    """Continue from these changes next time, unless another process has got further."""
    SyncState.objects.get_or_create(calendar_id=name_calendar())
    SyncState.objects.filter(calendar_id=name_calendar(), sync_token=pull.since).update(
        sync_token=pull.changes.sync_token, synced_at=timezone.now()
    )


def is_comparison_due(every: timedelta) -> bool:
    """True also if the last whole comparison is in the future."""
    compared_at, now = find_state().compared_at, timezone.now()
    return compared_at is None or not now - every < compared_at <= now


def note_comparison() -> None:
    SyncState.objects.update_or_create(
        calendar_id=name_calendar(), defaults={"compared_at": timezone.now()}
    )


def find_state() -> SyncState:
    state = SyncState.objects.filter(calendar_id=name_calendar()).first()
    return state or SyncState(calendar_id=name_calendar())
