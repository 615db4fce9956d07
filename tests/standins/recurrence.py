"""Recurring events: the daily and weekly rules, expanded into their instances."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import count
from typing import Any
from zoneinfo import ZoneInfo

from tests.standins.event_times import moment_of, shifted
from tests.standins.google_errors import refuse

WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
# Google, too, gives up on endless rules after about two years.
MOST_INSTANCES = 730


def check_rules(event: dict[str, Any]) -> None:
    """Refuse rules beyond FREQ=DAILY or WEEKLY with INTERVAL, COUNT, UNTIL and BYDAY."""
    for rule in event.get("recurrence", []):
        parts = _parts(rule)
        known = {"FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "WKST"}
        if parts.get("FREQ") not in {"DAILY", "WEEKLY"} or not parts.keys() <= known:
            refuse(400, "invalid", "Invalid recurrence rule.")
        if not set(_days(parts)) <= set(WEEKDAYS):
            refuse(400, "invalid", "Invalid recurrence rule.")


def instances(event: dict[str, Any], zone: ZoneInfo) -> Iterator[dict[str, Any]]:
    """Give the event's instances in order; the event itself when it does not recur."""
    if not event.get("recurrence"):
        yield event
        return
    parts = _parts(event["recurrence"][0])
    until = _until(parts, zone)
    limit = min(int(parts.get("COUNT", MOST_INSTANCES)), MOST_INSTANCES)
    for shift in _shifts(parts, event["start"]):
        start = shifted(event["start"], shift, zone)
        if limit == 0 or (until and moment_of(start, zone) > until):
            return
        limit -= 1
        yield _instance(event, start, shifted(event["end"], shift, zone), zone)


def _instance(
    event: dict[str, Any], start: dict[str, str], end: dict[str, str], zone: ZoneInfo
) -> dict[str, Any]:
    suffix = (
        start["date"].replace("-", "")
        if "date" in start
        else f"{moment_of(start, zone).astimezone(UTC):%Y%m%dT%H%M%SZ}"
    )
    kept = {name: value for name, value in event.items() if name != "recurrence"}
    return {
        **kept,
        "id": f"{event['id']}_{suffix}",
        "recurringEventId": event["id"],
        "originalStartTime": start,
        "start": start,
        "end": end,
    }


def _shifts(parts: dict[str, str], start: dict[str, str]) -> Iterator[timedelta]:
    """Give the distances in days from the first instance, without end."""
    interval = int(parts.get("INTERVAL", 1))
    if parts["FREQ"] == "DAILY":
        yield from (timedelta(days=step * interval) for step in count())
        return
    first = _local_day(start).weekday()
    days = sorted(WEEKDAYS.index(day) for day in _days(parts)) or [first]
    for week in count(0, interval):
        for day in days:
            if week or day >= first:
                yield timedelta(days=week * 7 + day - first)


def _local_day(start: dict[str, str]) -> date:
    if "date" in start:
        return date.fromisoformat(start["date"])
    return datetime.fromisoformat(start["dateTime"]).astimezone(ZoneInfo(start["timeZone"])).date()


def _until(parts: dict[str, str], zone: ZoneInfo) -> datetime | None:
    text = parts.get("UNTIL")
    if not text:
        return None
    if "T" in text:
        return datetime.strptime(text.rstrip("Z"), "%Y%m%dT%H%M%S").replace(tzinfo=UTC)
    day = datetime.strptime(text, "%Y%m%d").replace(tzinfo=zone)
    return day + timedelta(days=1, microseconds=-1)


def _parts(rule: str) -> dict[str, str]:
    text = rule.removeprefix("RRULE:")
    return dict(part.partition("=")[::2] for part in text.split(";"))


def _days(parts: dict[str, str]) -> list[str]:
    return [day for day in parts.get("BYDAY", "").split(",") if day]
