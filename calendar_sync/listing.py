"""The cached list of upcoming events.

RFC 5861: stale-if-error for CALENDAR_STALE_SECONDS, stale-while-revalidate.
"""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import uuid4

from django.conf import settings
from django.core.cache import cache
from django.utils import timezone

from calendar_sync.backend import find_generation, use_calendar
from calendar_sync.interface import BusySlot, CalendarError, CalendarUnavailableError
from config.lib.provider_calls import ProviderBusyError, ProviderGuard, SingleFlight

logger = logging.getLogger(__name__)

LIST_KEY = "calendar_sync.upcoming"
# Kept while the list is fresh; the list itself is kept longer.
STAMP_KEY = "calendar_sync.stamp"

# Plain values, which the next release can read.
Row = tuple[datetime, datetime, str, str | None, str | None]
# The list's generation and its own id.
Stamp = tuple[int | None, str]
Kept = tuple[Stamp, list[Row]]

# How long a reader waits for another's call, holding a thread.
PATIENCE = timedelta(seconds=1)

_flight: SingleFlight[Kept] = SingleFlight()
guard = ProviderGuard(patience=PATIENCE, pause=timedelta(seconds=5))


def read_listing(*, find_refresh_token: Callable[[], str | None]) -> list[BusySlot]:
    """List the events that have not ended, at most CALENDAR_CACHE_SECONDS old.

    find_refresh_token: called only if the provider is asked, once for all threads. If it fails, an
    expired list is served. Raises CalendarError.
    """
    cached = cache.get_many([STAMP_KEY, LIST_KEY])
    earlier: Kept | None = cached.get(LIST_KEY)
    generation = find_generation(otherwise=earlier[0][0] if earlier else None)
    stamp: Stamp | None = cached.get(STAMP_KEY)
    if earlier is not None and stamp == earlier[0] and stamp[0] == generation:
        return _present(earlier)
    try:
        return _present(_renew(generation, earlier, find_refresh_token))
    except CalendarError:
        if earlier is None:
            raise
        return _present(earlier)


def _present(kept: Kept) -> list[BusySlot]:
    _stamp, rows = kept
    now = timezone.now()
    return [BusySlot(*row) for row in rows if row[1] > now]


def _renew(
    generation: int | None, earlier: Kept | None, find_refresh_token: Callable[[], str | None]
) -> Kept:
    def work() -> Kept:
        kept = (generation, uuid4().hex), _fetch(find_refresh_token)
        # Django keeps nothing with a time-out of 0.
        fresh, stale = settings.CALENDAR_CACHE_SECONDS, settings.CALENDAR_STALE_SECONDS
        cache.set(LIST_KEY, kept, timeout=fresh + stale)
        cache.set(STAMP_KEY, kept[0], timeout=fresh)
        return kept

    has_own = earlier is not None and earlier[0][0] == generation
    try:
        return _flight.run(generation, work, patience=timedelta() if has_own else guard.patience)
    except TimeoutError as error:
        if not has_own:
            guard.note_slow()
        raise CalendarUnavailableError("The calendar's answer took too long.") from error


def _fetch(find_refresh_token: Callable[[], str | None]) -> list[Row]:
    try:
        with guard.enter(settings.CALENDAR_WRITERS):
            now = timezone.now()
            with use_calendar(find_refresh_token()) as calendar:
                slots = calendar.upcoming_events(since=now)
    except ProviderBusyError as error:
        raise CalendarUnavailableError(str(error)) from error
    except CalendarError as error:
        # Logged here: one line for each call to the provider, not for each reader.
        logger.warning("The calendar could not be read: %s", error)
        raise
    guard.reset()  # it answers, if slowly
    return [
        (slot.start, slot.end, slot.status, slot.start_time_zone, slot.end_time_zone)
        for slot in slots
    ]
