"""Another law for the service's zone: a compiled zone in which daylight saving comes back.

From 2026-12-06, 00:00, clocks are an hour ahead, until the first Sunday of March, and so each year.
"""

import struct
import zoneinfo
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from django.conf import settings
from django.test import override_settings

from bookings.notices import icalendar

CHANGE = datetime(2026, 12, 6, 3, tzinfo=UTC)
USUAL = timedelta(hours=-3)
AN_HOUR_AHEAD, AN_HOUR_BEHIND = timedelta(hours=-2), timedelta(hours=-4)
# POSIX counts westwards, and wants a name for each of the two times of the year.
RULES = {
    AN_HOUR_AHEAD: "<-03>3<-02>2,M12.1.0/0,M3.1.0/0",
    AN_HOUR_BEHIND: "<-03>3<-04>4,M12.1.0/0,M3.1.0/0",
}


def compile_zone(
    folder: Path, offset: timedelta = AN_HOUR_AHEAD, change: datetime | None = None
) -> Path:
    """Write the service's zone with another law; return a folder for the search path (RFC 8536).

    change: from when on the offset counts, for good; by default as the module says.
    """
    file = folder / settings.TIME_ZONE
    file.parent.mkdir(parents=True, exist_ok=True)
    names = b"-03\0new\0"
    types = struct.pack(">lBB", _seconds(USUAL), 0, 0) + struct.pack(">lBB", _seconds(offset), 1, 4)
    # The first part is for readers of 32-bit times: it holds no change.
    first = _header(0, 1, 4) + struct.pack(">lBB", _seconds(USUAL), 0, 0) + b"-03\0"
    at = struct.pack(">q", int((change or CHANGE).timestamp())) + bytes([1])
    second = _header(1, 2, len(names)) + at + types + names
    rules = f"<new>{-_seconds(offset) // 3600}" if change else RULES[offset]
    file.write_bytes(first + second + f"\n{rules}\n".encode())
    return folder


def renew_law(folder: Path) -> None:
    """Have this process load its zones from a folder first, as after a restart."""
    zoneinfo.reset_tzpath([str(folder), *zoneinfo.TZPATH])
    forget_law()


def forget_law() -> None:
    """Forget every zone that was loaded."""
    ZoneInfo.clear_cache()
    icalendar._describe_zone.cache_clear()
    # Django has a cache of its own, and empties it when this setting changes.
    with override_settings(TIME_ZONE=settings.TIME_ZONE):
        pass


@contextmanager
def new_law(folder: Path, offset: timedelta = AN_HOUR_AHEAD) -> Iterator[None]:
    """Live under another law inside of the block."""
    renew_law(compile_zone(folder, offset))
    try:
        yield
    finally:
        zoneinfo.reset_tzpath()
        forget_law()


def _header(changes: int, types: int, characters: int) -> bytes:
    return struct.pack(">4sc15x6l", b"TZif", b"2", 0, 0, 0, changes, types, characters)


def _seconds(offset: timedelta) -> int:
    return int(offset.total_seconds())
