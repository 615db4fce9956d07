"""Providers without a socket, for tests that make thousands of calls."""

import io
from datetime import datetime
from email.message import Message
from typing import Any, ClassVar

import requests

from calendar_sync import BusySlot, CalendarUnavailableError, CreatedEvent, EventDraft
from tests.standins.server import Standin


def answer_directly(standin: Standin) -> Any:
    """Return what replaces ``requests.adapters.HTTPAdapter.send``."""

    def send(adapter: object, request: Any, **options: Any) -> requests.Response:
        headers = Message()
        for name, value in request.headers.items():
            headers[name] = value
        body = request.body or b""
        body = body.encode() if isinstance(body, str) else body
        outcome = standin.answer(request.method, request.path_url, headers, body)
        if outcome.reply is None or outcome.cut:
            raise requests.ConnectionError("no answer")
        response = requests.Response()
        response.status_code, response.url = outcome.reply.status, request.url
        response.headers.update(outcome.reply.headers)
        response.raw, response.request = io.BytesIO(outcome.reply.body), request
        return response

    return send


class CalmCalendar:
    """A calendar in memory. is_down: of every call."""

    is_down: ClassVar[bool] = False

    def __init__(self, *, refresh_token: str | None) -> None:
        if type(self).is_down:
            raise CalendarUnavailableError("down")

    def create_event(self, draft: EventDraft) -> CreatedEvent:
        meeting = f"https://meet.example/{draft.event_id}"
        words = draft.summary, draft.description, draft.start, draft.end
        return CreatedEvent(draft.event_id, *words, meeting)

    update_event = create_event

    def update_guests(self, draft: EventDraft) -> None:
        """Invite them."""

    def open_meeting(self, address: str) -> None:
        """Let everybody in."""

    def delete_event(self, event_id: str, **about: Any) -> None:
        """Forget it."""

    def check_grant(self) -> None:
        """Find it in order."""

    def upcoming_events(self, *, since: datetime, limit: int | None = None) -> list[BusySlot]:
        return []
