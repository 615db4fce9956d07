"""POST /api/webhooks/calendar: what the calendar's provider tells."""

import pytest
from django.test import Client

from calendar_sync import calendar_changed
from calendar_sync.push import keep_channel

PATH = "/api/webhooks/calendar"


@pytest.fixture
def heard():
    """What the rest of the service was told."""
    calls = []

    def listen(**kwargs):
        calls.append(kwargs)

    calendar_changed.connect(listen)
    yield calls
    calendar_changed.disconnect(listen)


@pytest.fixture
def channel(teacher, google, settings):
    settings.BASE_URL = "https://clases.example"
    keep_channel(refresh_token=teacher.provider_refresh_token)
    settings.BASE_URL = "http://testserver"
    return google.channels[0]


def tell(headers, **request):
    return Client().post(PATH, headers=headers, **request)


def test_the_first_message_is_taken_and_tells_nothing(channel, google, heard):
    [sync] = google.take_notices()

    answer = tell(sync)

    assert (answer.status_code, answer.content) == (204, b"")
    assert sync["X-Goog-Resource-State"] == "sync"
    assert heard == []


def test_a_change_is_answered_at_once(channel, google, heard):
    google.take_notices()
    google.add_event()
    [message] = google.take_notices()
    google.fault("events.list")
    asked = len(google.requests)

    answer = tell(message)

    assert answer.status_code == 204
    assert len(heard) == 1
    assert len(google.requests) == asked  # nobody looked while the provider waited


def test_a_listener_that_fails_costs_the_provider_nothing(channel, google):
    def fail(**kwargs):
        raise RuntimeError("boom")

    google.take_notices()
    google.add_event()
    calendar_changed.connect(fail)
    try:
        [message] = google.take_notices()
        assert tell(message).status_code == 204
    finally:
        calendar_changed.disconnect(fail)


FORGERIES = {
    "nothing": lambda good: {},
    "no token": lambda good: {**good, "X-Goog-Channel-Token": ""},
    "another token": lambda good: {**good, "X-Goog-Channel-Token": "x" * 43},
    "another channel": lambda good: {
        **good,
        "X-Goog-Channel-ID": "3fa85f64-5717-4562-b3fc-2c963f66afa6",
    },
    "no channel": lambda good: {**good, "X-Goog-Channel-ID": "\xff" * 70},
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
def test_a_forgery_learns_nothing(channel, google, heard, forge):
    google.take_notices()
    google.add_event()
    [message] = google.take_notices()

    answer = tell(forge(message))

    assert (answer.status_code, answer.json()) == (404, {"error": "No encontrado."})
    assert heard == []
