"""One request to the provider: its deadline, its time, and its errors as the calendar's."""

import json
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from secrets import SystemRandom
from time import perf_counter
from typing import Any

import httplib2
from django.conf import settings
from google.auth.exceptions import GoogleAuthError, RefreshError
from googleapiclient.errors import Error as ClientError  # noqa: TID251  # read here for google.py
from googleapiclient.errors import HttpError  # noqa: TID251  # read here for google.py
from prometheus_client import Histogram

from calendar_sync.interface import (
    CalendarError,
    CalendarNotConnectedError,
    CalendarRefusedError,
    CalendarUnavailableError,
)

# https://developers.google.com/workspace/calendar/api/guides/errors
RATE_REASONS = frozenset({"rateLimitExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED"})
QUOTA_REASONS = frozenset({"quotaExceeded", "dailyLimitExceeded", "calendarUsageLimitsExceeded"})
SCOPE_REASONS = frozenset({"insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"})
# Only these words mean that the grant is gone: a failing endpoint raises the same RefreshError.
DEAD_GRANT = frozenset({"invalid_grant", "invalid_client", "unauthorized_client"})
SECONDS = Histogram(
    "classes_calendar_call_seconds",
    "How long calls to the calendar took, by method of its API and outcome.",
    ["operation", "outcome"],
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8),
)
_random = SystemRandom()


class TransientError(CalendarUnavailableError):
    """A fault that a retry may not meet again."""


class AlreadyThereError(CalendarRefusedError):
    """The event's id is taken, maybe by a cancelled event."""


class NotThereError(CalendarRefusedError):
    """The event or calendar does not exist."""


# 412: the event has changed since it was read.
KINDS: dict[int, type[CalendarError]] = {
    404: NotThereError,
    409: AlreadyThereError,
    410: NotThereError,
    412: CalendarUnavailableError,
}
# The first match counts.
OUTCOMES: dict[type[CalendarError], str] = {
    AlreadyThereError: "ok",
    NotThereError: "ok",
    CalendarNotConnectedError: "not_connected",
    CalendarRefusedError: "refused",
    CalendarError: "unavailable",
}


class Transport:
    """An httplib2.Http for one operation; the real one is not thread-safe.

    httplib2 repeats even a POST after a closed connection; our event ids allow that.
    budget: for all requests and waits together.
    """

    def __init__(self, budget: timedelta, headers: Mapping[str, str] | None = None) -> None:
        self._end = time.monotonic() + budget.total_seconds()
        self._headers = headers or {}

    def wait(self, seconds: float | None, *, at_least: float = 0) -> bool:
        """Sleep half to all of ``seconds``; return False at once for None or too little time."""
        if seconds is None:
            return False
        seconds = max(_random.uniform(seconds / 2, seconds), at_least)
        if seconds >= self._end - time.monotonic():
            return False
        time.sleep(seconds)
        return True

    def request(
        self,
        uri: str,
        method: str = "GET",
        *,
        headers: Mapping[str, str] | None = None,
        **kwargs: Any,
    ) -> Any:
        """Raise TimeoutError if no time is left."""
        timeout = min(settings.CALENDAR_TIMEOUT.total_seconds(), self._end - time.monotonic())
        if timeout <= 0:
            raise TimeoutError("The operation's time is up.")
        with closing(httplib2.Http(timeout=timeout)) as http:
            # The provider never redirects; another server must not get the API key.
            http.follow_redirects = False
            headers = {**(headers or {}), **self._headers}
            return http.request(uri, method, headers=headers, **kwargs)


@contextmanager
def timed(operation: str) -> Iterator[None]:
    """operation: the API's name, such as ``calendar.events.insert``."""
    began, outcome = perf_counter(), "ok"
    try:
        yield
    except BaseException as error:
        outcome = next((word for kind, word in OUTCOMES.items() if isinstance(error, kind)), "bug")
        raise
    finally:
        SECONDS.labels(operation, outcome).observe(perf_counter() - began)


@contextmanager
def provider_errors() -> Iterator[None]:
    """Messages hold only status and reasons."""
    try:
        yield
    except HttpError as error:
        # Its text holds the path, and so the calendar's id, which may be an e-mail address.
        error.uri = None
        raise _from_answer(error) from error
    except RefreshError as error:
        translated = _from_refresh(error)
        error.args = error.args[:1]  # the second is the token endpoint's whole answer
        raise translated from error
    except (GoogleAuthError, ClientError, httplib2.HttpLib2Error, HTTPException, OSError) as error:
        raise TransientError("The calendar could not be reached.") from error
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        # A proxy's page, or a token endpoint's 200 with nonsense.
        raise TransientError("The calendar's answer could not be read.") from error


def _from_answer(error: HttpError) -> CalendarError:
    status: int = error.status_code
    reasons = _reasons(error.content)
    message = f"The calendar answered {status} ({', '.join(sorted(reasons)) or 'no reason'})."
    if status >= 500 or status in {408, 429} or reasons & RATE_REASONS:
        return TransientError(message, retry_after=_retry_after(error.resp))
    if reasons & QUOTA_REASONS or status < 400:
        return CalendarUnavailableError(message)
    if status == 401 or reasons & SCOPE_REASONS:
        return CalendarNotConnectedError(message, is_certain=bool(reasons & SCOPE_REASONS))
    return KINDS.get(status, CalendarRefusedError)(message)


def _from_refresh(error: RefreshError) -> CalendarError:
    answer = error.args[1] if len(error.args) > 1 else None
    word = answer.get("error") if isinstance(answer, dict) else None
    if isinstance(word, str) and word in DEAD_GRANT:
        return CalendarNotConnectedError(f"The calendar's grant is of no use any more ({word}).")
    # Not transient: google-auth has tried three times already.
    return CalendarUnavailableError("The calendar's token endpoint failed.")


def _reasons(content: bytes) -> set[str]:
    try:
        error = json.loads(content)["error"]
        rows = [*error.get("errors", []), *error.get("details", [])]
        found = [row.get("reason", "") for row in rows]
        return {reason for reason in found if re.fullmatch(r"[A-Za-z_]{1,50}", reason)}
    except (TypeError, ValueError, KeyError, AttributeError):
        return set()


def _retry_after(headers: Any) -> float:
    value = str(headers.get("retry-after", ""))
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
        return max(0.0, (moment - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):  # no date, or one without a zone
        return 0.0
