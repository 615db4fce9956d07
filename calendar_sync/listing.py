"""The upcoming events, asked for once for everybody who looks within some seconds."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import uuid4

from django.conf import settings
from django.core.cache import cache
from django.utils import timezone

from calendar_sync.backend import use_calendar
from calendar_sync.circuit import Circuit
from calendar_sync.interface import BusySlot, CalendarError, CalendarUnavailableError
from calendar_sync.single_flight import SingleFlight

logger = logging.getLogger(__name__)

LIST_KEY = "calendar_sync.upcoming"
GENERATION_KEY = "calendar_sync.generation"
STAMP_KEY = "calendar_sync.stamp"

# Plain values, so that a cache filled by one release can be read by the next.
Row = tuple[datetime, datetime, str, str | None, str | None]
# The generation that a list belongs to, and which one of it: the short name of a long list.
Stamp = tuple[str | None, str]

# How long a reader waits for another's call. Each one who waits holds a thread of the server.
PATIENCE = timedelta(seconds=1)

_flight: SingleFlight[tuple[Stamp, list[Row]]] = SingleFlight()
circuit = Circuit(pause=timedelta(seconds=5))


@dataclass(frozen=True, slots=True)
class Listing:
    """The upcoming events. stamp: what ``current_stamp`` says as long as nothing newer is known."""

    slots: list[BusySlot]
    stamp: Stamp


def read_listing(*, find_refresh_token: Callable[[], str | None]) -> Listing:
    """List the events that have not ended yet, at most CALENDAR_CACHE_SECONDS old.

    find_refresh_token: asked only when the provider has to be, so that an answer from the cache
    costs no query.

    Threads that find the cache empty share one call to the provider, its error included, and wait
    a second for it at most. An error is never kept, but after a slow one nobody asks for some
    seconds: a provider that hangs must not take every thread of the server with it. Raises the
    calendar's errors.
    """
    kept = cache.get_many([GENERATION_KEY, LIST_KEY])
    generation = kept.get(GENERATION_KEY)
    stamp, rows = kept.get(LIST_KEY, (None, None))
    if not _is_of(generation, stamp):
        stamp, rows = _fetch_once(generation, find_refresh_token)
    now = timezone.now()
    return Listing([BusySlot(*row) for row in rows if row[1] > now], stamp)


def current_stamp() -> Stamp | None:
    """Give the stamp of the list that would be read now; None when the provider would be asked.

    Whoever keeps what they made of a list asks this first: it costs two short values of the cache.
    """
    kept = cache.get_many([GENERATION_KEY, STAMP_KEY])
    stamp: Stamp | None = kept.get(STAMP_KEY)
    return stamp if _is_of(kept.get(GENERATION_KEY), stamp) else None


def _is_of(generation: str | None, stamp: object) -> bool:
    return isinstance(stamp, tuple) and stamp[0] == generation


def forget_upcoming_events() -> None:
    """Have the next reader ask the provider. Call it after a write to the calendar.

    A new generation rather than a deletion: a reader whose call began before the write stores its
    list under the old generation, where nobody reads it, in this process or another.
    """
    cache.set(GENERATION_KEY, uuid4().hex, timeout=None)


def _fetch_once(
    generation: str | None, find_refresh_token: Callable[[], str | None]
) -> tuple[Stamp, list[Row]]:
    def work() -> tuple[Stamp, list[Row]]:
        rows = _fetch_watched(find_refresh_token)
        stamp = (generation, uuid4().hex)
        # Django keeps nothing with a time-out of 0.
        kept = {LIST_KEY: (stamp, rows), STAMP_KEY: stamp}
        cache.set_many(kept, timeout=settings.CALENDAR_CACHE_SECONDS)
        return stamp, rows

    if circuit.is_open:
        raise CalendarUnavailableError("The calendar was slow a moment ago.")
    patience = timedelta() if circuit.is_suspect else PATIENCE
    try:
        return _flight.run(generation, work, patience=patience)
    except TimeoutError as error:
        circuit.trip()
        raise CalendarUnavailableError("The calendar's answer took too long.") from error


def _fetch_watched(find_refresh_token: Callable[[], str | None]) -> list[Row]:
    """Fetch, and let the circuit know how it went."""
    began = time.monotonic()
    try:
        rows = _fetch(find_refresh_token())
    except CalendarError as error:
        # Here, and not where each reader is answered: one line for each call to the provider.
        logger.warning("The calendar could not be read: %s", error)
        if time.monotonic() - began > PATIENCE.total_seconds():
            circuit.trip()
        raise
    circuit.reset()
    return rows


def _fetch(refresh_token: str | None) -> list[Row]:
    now = timezone.now()
    slots = use_calendar(
        lambda calendar: calendar.upcoming_events(since=now), refresh_token=refresh_token
    )
    return [
        (slot.start, slot.end, slot.status, slot.start_time_zone, slot.end_time_zone)
        for slot in slots
    ]
