"""Calls these tests make: plain HTTP, so that nothing hides what the stand-ins answer."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import requests

from tests.standins import GoogleStandin

TEACHER = "teacher@example.com"
CALLBACK = "http://testserver/callback"
CALENDAR_SCOPE = "https://www.googleapis.com/auth/calendar.events"
MEET = {"conferenceSolutionKey": {"type": "hangoutsMeet"}}


@dataclass(frozen=True, slots=True)
class CalendarCaller:
    """Calls the events of one calendar with one person's access token."""

    google: GoogleStandin
    session: requests.Session

    def call(
        self, method: str, path: str = "", body: Any = None, calendar: str = "primary", **query: Any
    ) -> requests.Response:
        """Call below ``/calendars/{calendar}/events``; path begins with a slash."""
        url = f"{self.google.calendar_url}calendars/{calendar}/events{path}"
        return self.session.request(method, url, json=body, params=query, timeout=5)

    def insert(self, **fields: Any) -> requests.Response:
        return self.call("POST", body=event_body(**fields), conferenceDataVersion=1)

    def ids(self, **query: Any) -> list[str]:
        """List, and give the events' ids."""
        return [event["id"] for event in self.call("GET", **query).json()["items"]]


def event_body(**fields: Any) -> dict[str, Any]:
    """Give a body that Google accepts: an hour in December, noon in Buenos Aires."""
    return {
        "summary": "Clase",
        "start": {"dateTime": "2026-12-01T15:00:00Z"},
        "end": {"dateTime": "2026-12-01T16:00:00Z"},
        **fields,
    }


def meet_request(request_id: str = "first") -> dict[str, Any]:
    return {"createRequest": {"requestId": request_id, **MEET}}


def problem(answer: requests.Response) -> tuple[int, str]:
    """Give status and reason of an error of Google's API."""
    error = answer.json()["error"]
    assert error["code"] == answer.status_code
    return answer.status_code, error["errors"][0]["reason"]


def refresh(google: GoogleStandin, refresh_token: str, **form: str) -> requests.Response:
    form = {"client_id": "client", "client_secret": "secret", **form}
    return token(google, grant_type="refresh_token", refresh_token=refresh_token, **form)


def token(google: GoogleStandin, **form: str) -> requests.Response:
    return requests.post(f"{google.url}/oauth2/token", data=form, timeout=5)


def authorize_url(base: str, scope: str, **query: str) -> str:
    parameters = {
        "client_id": "client",
        "redirect_uri": CALLBACK,
        "response_type": "code",
        "scope": scope,
        "state": "kept",
        **query,
    }
    return requests.Request("GET", base, params=parameters).prepare().url or ""


def choose(url: str, **form: str) -> dict[str, str]:
    """Answer the account page and give what the redirect tells the callback."""
    answer = requests.post(url, data=form, allow_redirects=False, timeout=5)
    assert answer.status_code == 303
    location = answer.headers["Location"]
    assert location.partition("?")[0] == CALLBACK
    return dict(parse_qsl(urlsplit(location).query))
