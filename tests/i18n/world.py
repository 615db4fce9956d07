"""The world whose pages are read, and the list of its states."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from accounts.models import User
from bookings.domain.places.joining import join_class
from bookings.domain.sales.holds import hold_slot
from bookings.models import ClassType, Hold, VirtualClass
from tests.factories import VirtualClassFactory
from tests.standins import GoogleStandin

ZONE = ZoneInfo("America/Argentina/Buenos_Aires")
NOW = datetime(2026, 11, 23, 8, 0, tzinfo=ZONE)  # a Monday
CODE = "ABCD2345"


@dataclass
class World:
    """A teacher with hours and prices, a host, a guest, and whoever is not signed in."""

    language: str
    google: GoogleStandin
    teacher: User
    host: User
    guest: User
    settings: Any
    monkeypatch: pytest.MonkeyPatch

    def client(self, user: User | None = None) -> Client:
        """Give the browser of a person, or of a stranger."""
        client = Client(raise_request_exception=False)
        client.cookies[settings.LANGUAGE_COOKIE_NAME] = self.language
        if user:
            client.force_login(user)
        return client

    def get(self, name: str, *arguments: Any, user: User | None = None, **query: str) -> Any:
        """Open a page."""
        return self.client(user).get(reverse(name, args=arguments), query)

    def post(self, name: str, /, *arguments: Any, user: User | None = None, **form: Any) -> Any:
        """Send a form, and follow where it leads."""
        return self.client(user).post(reverse(name, args=arguments), form, follow=True)

    def at(self, clock: str, days: int = 1) -> datetime:
        """Give a time some days ahead, by default tomorrow."""
        return datetime.combine(
            NOW.date() + timedelta(days=days), time.fromisoformat(clock), tzinfo=ZONE
        )

    def get_on(self, name: str, *arguments: Any, user: User | None = None) -> Any:
        """Open a page, and follow where it leads."""
        return self.client(user).get(reverse(name, args=arguments), follow=True)

    def hold(self, class_type: ClassType = ClassType.INDIVIDUAL) -> Hold:
        """Keep tomorrow's ten o'clock for the host."""
        return hold_slot(user=self.host, start=self.at("10:00"), minutes=60, class_type=class_type)

    def book(self, **changes: Any) -> VirtualClass:
        """Let the host have a pending class of their own words, tomorrow."""
        return VirtualClassFactory(
            booked_by=self.host,
            start_time=changes.pop("start_time", self.at("10:00")),
            learning_focus="Shakespeare",
            **changes,
        )

    def schedule(self, **changes: Any) -> VirtualClass:
        """Let the host have a scheduled class."""
        return self.book(scheduled=True, access_code=CODE, **changes)

    def share(self, **changes: Any) -> VirtualClass:
        """Let the guest take part in a class of the host."""
        virtual_class = self.schedule(**changes)
        join_class(user=self.guest, access_code=CODE)
        return virtual_class

    def break_calendar(self) -> None:
        """Let Google refuse the teacher's grant."""
        self.google.revoke(self.teacher.provider_refresh_token)


@dataclass(frozen=True)
class State:
    """A page in one of its states. view: the name of the view that answers, if there is one."""

    view: str
    show: Callable[[World], Any]
    status: int


STATES: dict[str, State] = {}


def state(view: str, status: int = 200) -> Callable[[Callable[[World], Any]], Any]:
    """Add a state to the list, under its function's name."""

    def add(show: Callable[[World], Any]) -> Callable[[World], Any]:
        STATES[show.__name__] = State(view, show, status)
        return show

    return add
