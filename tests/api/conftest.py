"""What the API's tests share."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from bookings.models import ClassLog, UserActivity, VirtualClass
from tests.standins import GoogleStandin


@pytest.fixture
def anybody() -> Client:
    """Somebody without a session. A bug shows as the 500 that a client would get."""
    return Client(raise_request_exception=False)


@pytest.fixture
def signed_in(host: Any, sign_in: Any) -> Client:
    """The host, signed in; bugs show as with ``anybody``."""
    client = sign_in(host)
    client.raise_request_exception = False
    return client


@pytest.fixture
def browser() -> Client:
    """Give a client that Django asks for its CSRF token, as it asks browsers."""
    return Client(enforce_csrf_checks=True)


@pytest.fixture
def untouched(db: None, google: GoogleStandin) -> Iterator[None]:
    """Check after the test that it wrote no row and never called the provider."""
    before = _rows()
    yield
    assert _rows() == before
    assert google.requests == []


@pytest.fixture
def little_patience(settings: Any) -> None:
    """Give up soon on a provider that says nothing."""
    settings.CALENDAR_TIMEOUT = timedelta(seconds=0.5)
    settings.CALENDAR_BUDGET = timedelta(seconds=2)


def _rows() -> list[Any]:
    return [
        list(model.objects.order_by("pk").values())
        for model in (VirtualClass, UserActivity, ClassLog)
    ]
