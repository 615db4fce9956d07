"""What the calendar's tests share: a draft, a calendar with a grant, and little patience."""

import socket
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from calendar_sync import EventDraft, get_calendar
from calendar_sync.google.calendar import GoogleCalendar
from tests.environment import TEACHER_EMAIL
from tests.standins import GoogleStandin


@pytest.fixture(autouse=True)
def _little_patience(settings: Any) -> None:
    """Give up soon on a provider that says nothing."""
    settings.CALENDAR_TIMEOUT = timedelta(seconds=1)
    settings.CALENDAR_BUDGET = timedelta(seconds=3)


@pytest.fixture
def token(google: GoogleStandin) -> str:
    """The administrator's refresh token."""
    return google.grant(TEACHER_EMAIL)


@pytest.fixture
def calendar(token: str) -> GoogleCalendar:
    """The calendar in the administrator's name."""
    return get_calendar(refresh_token=token)


@pytest.fixture
def make_draft() -> Callable[..., EventDraft]:
    """Make a draft of a class tomorrow at ten, with whatever differs."""
    start = datetime.now(UTC).replace(hour=13, minute=0, second=0, microsecond=0)
    start += timedelta(days=1)
    usual = EventDraft(
        event_id="0123456789abcdef",
        reference="class-1",
        summary="Clase de Inglés",
        description="Clase individual para 1 participante",
        start=start,
        end=start + timedelta(hours=1),
        time_zone="America/Argentina/Buenos_Aires",
        guests=("ana@example.com",),
    )
    return lambda **changes: replace(usual, **changes)


@pytest.fixture
def draft(make_draft: Callable[..., EventDraft]) -> EventDraft:
    """A class tomorrow at ten."""
    return make_draft()


@pytest.fixture
def refuse_name(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Have the resolver, which tests do not ask, know nothing of a host."""

    def refuse(name: str) -> None:
        resolve = socket.getaddrinfo

        def getaddrinfo(host: str, *args: Any, **kwargs: Any) -> Any:
            if host == name:
                raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
            return resolve(host, *args, **kwargs)

        monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)

    return refuse
