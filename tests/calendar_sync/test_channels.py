"""Push channels: opened in time, and told from forgeries."""

import hashlib
import uuid
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from calendar_sync.models import WatchChannel
from calendar_sync.push import is_ours, keep_channel
from tests.standins import Fault

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _https(settings):
    settings.BASE_URL = "https://clases.example"


def days(number):
    return time_machine.travel(timezone.now() + timedelta(days=number))


def only_channel():
    return WatchChannel.objects.get()


def test_keep_channel_opens_one_that_tells_us(google, token):
    assert keep_channel(refresh_token=token) == 1

    [opened] = google.channels
    stored = only_channel()
    assert opened["address"] == "https://clases.example/api/webhooks/calendar"
    assert opened["id"] == str(stored.pk)
    assert int(stored.expires_at.timestamp() * 1000) == int(opened["expiration"])
    assert stored.token_hash == hashlib.sha256(opened["token"].encode()).hexdigest()
    assert len(opened["token"]) >= 43


def test_keep_channel_opens_another_before_one_ends(google, token):
    keep_channel(refresh_token=token)
    first = only_channel()

    with days(5.5):
        assert keep_channel(refresh_token=token) == 1
        assert keep_channel(refresh_token=token) == 0
    with days(8):
        keep_channel(refresh_token=token)

    assert only_channel() != first
    assert str(only_channel().pk) in {one["id"] for one in google.channels}


def test_keep_channel_keeps_the_old_one_while_no_new_one_can_be_made(google, token):
    keep_channel(refresh_token=token)
    first = only_channel()
    google.fault("events.watch", *[Fault.status(503)] * 3)

    with days(5.5):
        assert keep_channel(refresh_token=token) == 0
        assert only_channel() == first
    with days(6.5):
        assert keep_channel(refresh_token=token) == 1

    assert WatchChannel.objects.count() == 2


@pytest.mark.parametrize("setting", [("BASE_URL", "https://neu.example"), ("CALENDAR_ID", "x@y")])
def test_keep_channel_opens_another_for_another_address_or_calendar(
    google, token, settings, setting
):
    keep_channel(refresh_token=token)
    first = only_channel()
    setattr(settings, *setting)
    google.add_calendar("x@y", "teacher@example.com")

    assert keep_channel(refresh_token=token) == 1

    assert google.channels[0]["id"] == str(first.pk)
    assert WatchChannel.objects.count() == 2


def test_keep_channel_needs_https(google, token, settings, caplog):
    settings.BASE_URL = "http://localhost:8000"

    assert keep_channel(refresh_token=token) == 0

    assert google.channels == []
    assert not WatchChannel.objects.exists()
    assert "https" in caplog.text


@pytest.mark.parametrize("fault", [Fault.status(403), Fault.garbage()], ids=["403", "page"])
def test_keep_channel_costs_nothing_when_it_fails(google, token, fault):
    google.fault("events.watch", *[fault] * 6)

    assert keep_channel(refresh_token=token) == 0

    assert not WatchChannel.objects.exists()


@pytest.mark.parametrize("part", ["channel_id", "token", "both", "no id"])
def test_is_ours_knows_no_stranger(google, token, part):
    keep_channel(refresh_token=token)
    [opened] = google.channels
    message = {"channel_id": opened["id"], "token": opened["token"]}
    assert is_ours(**message)
    if part in {"channel_id", "both"}:
        message["channel_id"] = str(uuid.uuid4())
    if part in {"token", "both"}:
        message["token"] = "guess"
    if part == "no id":
        message["channel_id"] = "'; --"

    assert not is_ours(**message)
