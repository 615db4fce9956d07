"""The cached list of upcoming events.

RFC 5861: stale-if-error for CALENDAR_STALE_SECONDS, stale-while-revalidate.
"""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

from django.conf import settings
from django.core.cache import cache
from django.utils import timezone

from calendar_sync.backend import STAMP_KEY, use_calendar
from calendar_sync.interface import BusySlot, CalendarError, CalendarUnavailableError
from config.lib.provider_calls import ProviderBusyError, ProviderGuard, SingleFlight

logger = logging.getLogger(__name__)

# Another shape needs another name: 0.1.0 stores pairs under "calendar_sync.upcoming".
LIST_KEY = "calendar_sync.events"

# How long a reader waits for another's call, holding a thread.
PATIENCE = timedelta(seconds=1)

# The fields of a BusySlot: plain values, which the next release can read.
Row = tuple[datetime, datetime, str, str | None, str | None]


class Kept(NamedTuple):
    """stamp: of the calendar's state when the call began."""

    stamp: str
    read_at: datetime
    rows: list[Row]

    @property
    def is_fresh(self) -> bool:
        return timezone.now() < self.read_at + timedelta(seconds=settings.CALENDAR_CACHE_SECONDS)

    def present(self) -> list[BusySlot]:
        now = timezone.now()
        return [BusySlot(*row) for row in self.rows if row[1] > now]


_flight: SingleFlight[Kept] = SingleFlight()
guard = ProviderGuard(patience=PATIENCE, pause=timedelta(seconds=5))


def read_listing(*, find_refresh_token: Callable[[], str | None]) -> list[BusySlot]:
    """List the events that have not ended, at most CALENDAR_CACHE_SECONDS old.

    find_refresh_token: called only if the provider is asked, once for all threads. If it fails, an
    expired list is served. Raises CalendarError.
    """
    cached = cache.get_many([STAMP_KEY, LIST_KEY])
    stamp: str = cached.get(STAMP_KEY, "")
    earlier = Kept(*cached[LIST_KEY]) if LIST_KEY in cached else None
    if earlier and earlier.stamp == stamp and earlier.is_fresh:
        return earlier.present()
    try:
        return _renew(stamp, earlier, find_refresh_token).present()
    except CalendarError:
        if earlier is None:
            raise
        return earlier.present()


def _renew(stamp: str, earlier: Kept | None, find_refresh_token: Callable[[], str | None]) -> Kept:
    def work() -> Kept:
        kept = Kept(stamp, timezone.now(), _fetch(find_refresh_token))
        lasts = settings.CALENDAR_CACHE_SECONDS + settings.CALENDAR_STALE_SECONDS
        cache.set(LIST_KEY, tuple(kept), timeout=lasts)
        return kept

    has_own = earlier is not None and earlier.stamp == stamp
    try:
        return _flight.run(stamp, work, patience=timedelta() if has_own else guard.patience)
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
