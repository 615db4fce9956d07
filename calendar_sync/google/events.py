"""All requests about events, sent by Google's client.

https://developers.google.com/workspace/calendar/api/v3/reference/events
"""

import logging
import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from django.conf import settings
from google_auth_httplib2 import AuthorizedHttp
from googleapiclient.discovery import build  # noqa: TID251  # this is the module it is meant for

from calendar_sync.google import mapping
from calendar_sync.google.credentials import Grant
from calendar_sync.google.mapping import JSON
from calendar_sync.google.transport import (
    NotThereError,
    TransientError,
    Transport,
    provider_errors,
    timed,
)
from calendar_sync.interface import LISTING_LIMIT, BusySlot, name_calendar

logger = logging.getLogger(__name__)

# Seconds before the second and the third try of a request.
RETRY_WAITS = (0.5, 1.0)
# Events in one answer; Google allows 2,500, which take long.
PAGE_SIZE = 500
SPACE_NAME = re.compile("spaces/[A-Za-z0-9_-]+")
# Guests who are not notified may lose the event, as Google warns, outside its calendars above all.
SEND_UPDATES = "all"


class GoogleEvents:
    """The requests of one operation, with one deadline, and a grant or headers."""

    def __init__(
        self, budget: timedelta, *, grant: Grant | None = None, headers: JSON | None = None
    ) -> None:
        self.transport = Transport(budget, headers)
        self._http = AuthorizedHttp(grant, http=self.transport) if grant else self.transport
        self._api = _collection("events", "calendar", "v3", settings.CALENDAR_API_URL)
        # Only a person's grant can say ``primary``.
        has_person = grant is not None and grant.may_invite
        self._calendar = {"calendarId": settings.CALENDAR_ID if has_person else name_calendar()}
        # Without the version, conference data is neither made nor kept.
        self._write = {**self._calendar, "conferenceDataVersion": 1, "sendUpdates": SEND_UPDATES}

    def insert(self, body: JSON) -> JSON:
        """https://developers.google.com/workspace/calendar/api/v3/reference/events/insert"""
        return self._event(self._api.insert(**self._write, body=body))

    def replace(self, event_id: str, body: JSON) -> JSON:
        """https://developers.google.com/workspace/calendar/api/v3/reference/events/update"""
        return self._event(self._api.update(**self._write, eventId=event_id, body=body))

    def patch(
        self, event_id: str, changes: JSON, *, is_news: bool = True, if_unchanged: str = ""
    ) -> JSON:
        """https://developers.google.com/workspace/calendar/api/v3/reference/events/patch

        is_news: True to mail the guests. if_unchanged: the etag that the event must still have.
        """
        query = self._write if is_news else {**self._write, "sendUpdates": "none"}
        request = self._api.patch(**query, eventId=event_id, body=changes)
        if if_unchanged:
            request.headers["If-Match"] = if_unchanged
        return self._event(request)

    def find(self, event_id: str) -> JSON | None:
        """https://developers.google.com/workspace/calendar/api/v3/reference/events/get"""
        try:
            return self._event(self._api.get(**self._calendar, eventId=event_id))
        except NotThereError:
            return None

    def delete(self, event_id: str) -> None:
        """https://developers.google.com/workspace/calendar/api/v3/reference/events/delete"""
        request = self._api.delete(**self._calendar, eventId=event_id, sendUpdates=SEND_UPDATES)
        self._send(request, is_readable=lambda answer: not answer)

    def pages(self, **query: Any) -> list[JSON]:
        """Return the events of all pages.

        A ``fields`` without ``kind`` makes an empty calendar ``{}``, like a broken proxy's answer.
        https://developers.google.com/workspace/calendar/api/v3/reference/events/list
        """
        items: list[JSON] = []
        for page in self._list(is_readable=_is_page, maxResults=PAGE_SIZE, **query):
            items += page.get("items", [])
        return items

    def watch(self, body: JSON) -> JSON:
        """https://developers.google.com/workspace/calendar/api/v3/reference/events/watch"""
        request = self._api.watch(**self._calendar, body=body)
        answer: JSON = self._send(request, is_readable=lambda answer: "resourceId" in answer)
        return answer

    def open_space(self, code: str) -> None:
        """Let all with the link of a Meet space enter. code: as in the link.

        https://developers.google.com/workspace/meet/api/guides/meeting-spaces-configuration
        """
        spaces = _collection("spaces", "meet", "v2", settings.MEET_API_URL)
        request = spaces.get(name=f"spaces/{code}")
        space = self._send(
            request,
            is_readable=lambda answer: (
                SPACE_NAME.fullmatch(answer["name"]) is not None
                and isinstance(answer.get("config", {}), dict)
            ),
        )
        if space.get("config", {}).get("accessType") == "OPEN":
            return
        body = {"config": {"accessType": "OPEN"}}
        # A change names the space by its id, not by the code.
        request = spaces.patch(name=space["name"], updateMask="config.accessType", body=body)
        self._send(request, is_readable=lambda answer: answer["name"] == space["name"])

    def upcoming(self, since: datetime, limit: int | None) -> list[BusySlot]:
        """https://developers.google.com/workspace/calendar/api/v3/reference/events/list"""
        items: list[Any] = []
        answers = self._list(
            is_readable=lambda answer: isinstance(answer.get("items", []), list),
            timeMin=since.isoformat(),
            singleEvents=True,
            orderBy="startTime",
            # One large page is quicker than several, and the list has one time-out.
            maxResults=min(limit or LISTING_LIMIT, LISTING_LIMIT),
            # No private data. An empty calendar answers {}.
            fields="items(start,end,status,transparency,eventType),nextPageToken",
        )
        for answer in answers:
            items += answer.get("items", [])
            if limit or len(items) >= LISTING_LIMIT:
                break
        return mapping.busy_slots(items[:LISTING_LIMIT])

    def _list(self, *, is_readable: Callable[[Any], bool], **query: Any) -> Iterator[JSON]:
        page_token = None
        while True:
            request = self._api.list(**self._calendar, pageToken=page_token, **query)
            page: JSON = self._send(request, is_readable=is_readable)
            yield page
            page_token = page.get("nextPageToken")
            if not page_token:
                return

    def _event(self, request: Any) -> JSON:
        event: JSON = self._send(request, is_readable=lambda answer: isinstance(answer["id"], str))
        return event

    def _send(self, request: Any, *, is_readable: Callable[[Any], bool]) -> Any:
        """Repeat transient faults, up to three tries, while time is left.

        ``execute(num_retries=...)`` knows no deadline and no Retry-After, and accepts HTML.
        """
        waits = iter(RETRY_WAITS)
        while True:
            try:
                with timed(request.methodId), provider_errors():
                    return _checked(request.execute(http=self._http), is_readable)
            except TransientError as error:
                if not self.transport.wait(next(waits, None), at_least=error.retry_after):
                    raise
                logger.info("Asking the calendar again: %s", error)


@lru_cache(maxsize=4)
def _collection(name: str, api: str, version: str, api_url: str) -> Any:
    """Return the stateless builder of a collection's requests.

    Reading an API's description takes long; making a collection's methods takes 3 ms.
    https://googleapis.github.io/google-api-python-client/docs/thread_safety.html
    """
    client = build(
        api,
        version,
        http=Transport(timedelta(0)),
        static_discovery=True,  # shipped with the client
        cache_discovery=False,
        client_options={"api_endpoint": api_url},
    )
    return getattr(client, name)()


def _checked(answer: Any, is_readable: Callable[[Any], bool]) -> Any:
    if not is_readable(answer):
        raise ValueError("an answer of the wrong shape")
    return answer


def _is_page(answer: Any) -> bool:
    items = answer.get("items", [])
    return (
        answer["kind"] == "calendar#events"
        and isinstance(items, list)
        and all(isinstance(item, dict) for item in items)
    )
