"""What Google's events are made of: times in two spellings, meetings, recurrence, and refusals."""

import hashlib
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal, NoReturn
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tests.standins.messages import RefusedError, json_reply

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


# What Google says when a fault names only the status.
USUAL_REASONS = {
    400: "badRequest",
    401: "authError",
    403: "forbidden",
    404: "notFound",
    409: "duplicate",
    410: "deleted",
    412: "conditionNotMet",
    429: "rateLimitExceeded",
}
MESSAGES = {
    "authError": "Invalid Credentials",
    "backendError": "Backend Error",
    "badRequest": "Bad Request",
    "deleted": "Resource has been deleted",
    "duplicate": "The requested identifier already exists.",
    "forbidden": "Forbidden",
    "insufficientPermissions": "Request had insufficient authentication scopes.",
    "notFound": "Not Found",
    "quotaExceeded": "Calendar usage limits exceeded.",
    "rateLimitExceeded": "Rate Limit Exceeded",
    "userRateLimitExceeded": "User Rate Limit Exceeded",
}


def api_error(
    code: int, reason: str = "", message: str = "", domain: str = "global"
) -> dict[str, Any]:
    """Give the body of an API error.

    https://developers.google.com/workspace/calendar/api/guides/errors
    """
    reason = reason or USUAL_REASONS.get(code, "backendError")
    message = message or MESSAGES.get(reason, reason)
    return {
        "error": {
            "code": code,
            "message": message,
            "errors": [{"domain": domain, "reason": reason, "message": message}],
        }
    }


def refuse(code: int, reason: str = "", message: str = "", domain: str = "global") -> NoReturn:
    """Leave the handler with an API error."""
    headers = {"WWW-Authenticate": 'Bearer realm="https://accounts.google.com/"'}
    raise RefusedError(
        json_reply(api_error(code, reason, message, domain), code, headers if code == 401 else None)
    )


def token_error(code: int, reason: str = "") -> dict[str, str]:
    """Give the body of an error of the token endpoint, which has OAuth's shape."""
    usual = {400: "invalid_grant", 401: "invalid_client", 403: "access_denied"}
    reason = reason or usual.get(code, "internal_failure")
    return {"error": reason, "error_description": "Bad Request" if code == 400 else reason}


def refuse_token(reason: str, code: int = 400) -> NoReturn:
    """Leave the token endpoint with an OAuth error."""
    raise RefusedError(json_reply(token_error(code, reason), code))


Mode = Literal["success", "pending", "failure", "absent"]
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(slots=True)
class Meeting:
    """The fate of one event's conference request.

    mode: ``absent`` is pending without saying so, which has been seen as well.
    reads: how many times ``events.get`` still finds it unfinished.
    """

    mode: Mode
    reads: int

    def look(self, conference: dict[str, Any]) -> dict[str, Any]:
        """Give the conference as one more read finds it."""
        if self.mode in {"success", "failure"}:
            return conference
        if self.reads > 0:
            self.reads -= 1
            return conference
        self.mode = "success"
        return with_link(conference["createRequest"])


def request_conference(request: Any, mode: Mode) -> dict[str, Any]:
    """Take a ``createRequest`` on; 400 for a kind of meeting other than Google Meet."""
    if not isinstance(request, dict) or not request.get("requestId"):
        refuse(400, "required", "Missing conference request id.")
    kind = request.get("conferenceSolutionKey", {}).get("type", "hangoutsMeet")
    if kind != "hangoutsMeet":
        refuse(400, "invalid", "Invalid conference type value.")
    kept: dict[str, Any] = {
        "requestId": request["requestId"],
        "conferenceSolutionKey": {"type": kind},
    }
    if mode == "success":
        return with_link(kept)
    if mode == "absent":
        return {"createRequest": kept}
    return {"createRequest": {**kept, "status": {"statusCode": mode}}}


def with_link(request: dict[str, Any]) -> dict[str, Any]:
    """Give a finished conference; the code follows from the request id."""
    digest = hashlib.sha256(request["requestId"].encode()).digest()
    code = "".join(LETTERS[byte % 26] for byte in digest[:10])
    code = f"{code[:3]}-{code[3:7]}-{code[7:]}"
    link = f"meet.google.com/{code}"
    return {
        "createRequest": {**request, "status": {"statusCode": "success"}},
        "entryPoints": [{"entryPointType": "video", "uri": f"https://{link}", "label": link}],
        "conferenceSolution": {"key": {"type": "hangoutsMeet"}, "name": "Google Meet"},
        "conferenceId": code,
    }


# --- Recurrence -----------------------------------------------------------------------------------

RULE = re.compile(r"RRULE:FREQ=(DAILY|WEEKLY);COUNT=(\d{1,3})")


def list_instances(event: dict[str, Any], zone: ZoneInfo) -> list[dict[str, Any]]:
    """Return the event's instances in order; the event itself when it does not recur."""
    if not event.get("recurrence"):
        return [event]
    unit, times = read_rule(event)
    kept = {name: value for name, value in event.items() if name != "recurrence"}
    instances = []
    for number in range(times):
        start, end = (shifted(event[name], number * unit, zone) for name in ("start", "end"))
        suffix = f"{moment_of(start, zone).astimezone(UTC):%Y%m%dT%H%M%SZ}"
        named = {"id": f"{event['id']}_{suffix}", "recurringEventId": event["id"]}
        instances.append({**kept, **named, "originalStartTime": start, "start": start, "end": end})
    return instances


def read_rule(event: dict[str, Any]) -> tuple[timedelta, int]:
    """Return how far instances are apart, and how many there are; refuse other rules."""
    rule = RULE.fullmatch(event["recurrence"][0])
    if rule is None:
        refuse(400, "invalid", "Invalid recurrence rule.")
    return timedelta(days={"DAILY": 1, "WEEKLY": 7}[rule[1]]), int(rule[2])
