"""Times of events: Google's two spellings (dateTime, date), checked and set in a zone."""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tests.standins.google_errors import refuse

RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?", re.ASCII)


def normal_time(value: Any, which: str, zone: ZoneInfo) -> dict[str, str]:
    """Check ``start`` or ``end`` as sent and give it in the calendar's offset.

    which: ``start`` or ``end``, for the error.
    """
    if not isinstance(value, dict) or not (value.get("dateTime") or value.get("date")):
        refuse(400, "required", f"Missing {which} time.")
    if value.get("date") and value.get("dateTime"):
        refuse(400, "invalid", f"Invalid {which} time.")
    if value.get("date"):
        return {"date": _read_date(value["date"]).isoformat()}
    moment = _read_moment(value["dateTime"])
    named = read_zone(value["timeZone"]) if value.get("timeZone") else None
    if moment.tzinfo is None:
        if named is None:
            refuse(400, "required", f"Missing time zone definition for {which} time.")
        moment = moment.replace(tzinfo=named)
    return spelled(moment, zone, (named or zone).key)


def spelled(moment: datetime, zone: ZoneInfo, name: str) -> dict[str, str]:
    return {"dateTime": moment.astimezone(zone).isoformat(timespec="seconds"), "timeZone": name}


def moment_of(value: dict[str, str], zone: ZoneInfo) -> datetime:
    """Give the moment a stored time stands for; a day begins at the calendar's midnight."""
    if "date" in value:
        return datetime.combine(date.fromisoformat(value["date"]), datetime.min.time(), zone)
    return datetime.fromisoformat(value["dateTime"])


def shifted(value: dict[str, str], by: timedelta, zone: ZoneInfo) -> dict[str, str]:
    """Move a stored time on the wall clock of its own zone, as recurrence does."""
    if "date" in value:
        return {"date": (date.fromisoformat(value["date"]) + by).isoformat()}
    own = ZoneInfo(value["timeZone"])
    return spelled(moment_of(value, zone).astimezone(own) + by, zone, own.key)


def read_bound(text: str) -> datetime:
    """Read ``timeMin`` and its kin: RFC 3339, and the offset is a must."""
    if not RFC3339.fullmatch(text):
        refuse(400)
    moment = _read_moment(text)
    if moment.tzinfo is None:
        refuse(400)
    return moment


def read_zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        refuse(400, "invalid", f"Invalid time zone definition: {name}.")


def time_fields(value: datetime | date | str | dict[str, str], zone: ZoneInfo) -> dict[str, str]:
    """Spell a test's time as Google does; a naive datetime is the calendar's wall clock."""
    if isinstance(value, dict):
        return value
    if isinstance(value, str):
        return {"dateTime" if "T" in value else "date": value, "timeZone": zone.key}
    if isinstance(value, datetime):
        return spelled(value if value.tzinfo else value.replace(tzinfo=zone), zone, zone.key)
    return {"date": value.isoformat()}


def stamp() -> str:
    """The present, as Google writes ``created`` and ``updated``."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _read_moment(text: Any) -> datetime:
    if not isinstance(text, str) or not RFC3339.fullmatch(text):
        refuse(400, "invalid", f"Invalid value for: Invalid format: {str(text)[:80]!r}")
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        refuse(400, "invalid", f"Invalid value for: Invalid format: {text!r}")


def _read_date(text: Any) -> date:
    try:
        return date.fromisoformat(text)
    except (TypeError, ValueError):
        refuse(400, "invalid", f"Invalid value for: Invalid format: {str(text)[:80]!r}")
