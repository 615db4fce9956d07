"""The generation of calendar lists, seen by all processes; each write begins a new one."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.core.cache import cache
from django.db import Error, connection

from calendar_sync.calendar_name import name_calendar

logger = logging.getLogger(__name__)

GENERATION_KEY = "calendar_sync.generation"
# A second write to the database follows: a locked SQLite must not cost its time-out twice.
SQLITE_PATIENCE_MS = 2_000

# Plain SQL costs half of a queryset, for the most frequent request.
READ = 'SELECT generation FROM "calendar_sync_syncstate" WHERE calendar_id = %s'
BEGIN = """
    INSERT INTO "calendar_sync_syncstate" (calendar_id, generation) VALUES (%s, 1)
    ON CONFLICT (calendar_id) DO UPDATE SET generation = "calendar_sync_syncstate".generation + 1
"""

# None before the first write; a number of the database or a text of a shared cache.
Generation = int | str | None


def find_generation(kept: Mapping[str, Any], *, otherwise: Generation = None) -> Generation:
    """kept: the cache's values. otherwise: returned if the database fails."""
    if _is_cache_shared():
        generation: Generation = kept.get(GENERATION_KEY)
        return generation
    try:
        with connection.cursor() as cursor:
            cursor.execute(READ, [name_calendar()])
            row = cursor.fetchone()
    except Error as error:
        logger.warning("The calendar's generation could not be read: %s", type(error).__name__)
        return otherwise
    return row[0] if row else None


def forget_upcoming_events() -> None:
    """Expire the lists of all processes after a write, even one that is being read."""
    if _is_cache_shared():
        cache.set(GENERATION_KEY, uuid4().hex, timeout=None)
        return
    try:
        with connection.cursor() as cursor, _brief_wait_for_sqlite():
            cursor.execute(BEGIN, [name_calendar()])
    except Error as error:
        logger.warning("The calendar's generation was not counted: %s", type(error).__name__)


@contextmanager
def _brief_wait_for_sqlite() -> Iterator[None]:
    if connection.vendor != "sqlite":
        yield
        return
    driver = connection.connection
    [usual] = driver.execute("PRAGMA busy_timeout").fetchone()
    driver.execute(f"PRAGMA busy_timeout = {min(usual, SQLITE_PATIENCE_MS)}")
    try:
        yield
    finally:
        driver.execute(f"PRAGMA busy_timeout = {usual}")


def _is_cache_shared() -> bool:
    return not settings.CACHES["default"]["BACKEND"].endswith((".LocMemCache", ".DummyCache"))
