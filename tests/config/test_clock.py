"""config/web/clock.py: what was cached by a clock that was ahead does not outlive it."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core.cache import cache

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
DAY, SECOND = timedelta(days=1), timedelta(seconds=1)

pytestmark = pytest.mark.django_db


def count_events(client):
    return len(client.get("/api/calendar").json())


def test_calendar_s_list_is_read_anew_once_the_clock_is_right(
    client, teacher, google, time_machine
):
    time_machine.move_to(NOW + DAY, tick=False)
    before = count_events(client)
    google.add_event(start=NOW + 2 * DAY)

    time_machine.move_to(NOW, tick=False)

    assert (before, count_events(client)) == (0, 1)


@pytest.mark.parametrize("step", [-30 * SECOND, 30 * SECOND, DAY], ids=["NTP back", "NTP", "ahead"])
def test_cache_outlives_other_steps_of_the_clock(client, time_machine, step):
    time_machine.move_to(NOW, tick=False)
    client.get("/api/auth/session")
    cache.set("kept", 1, timeout=None)

    time_machine.move_to(NOW + step, tick=False)
    client.get("/api/auth/session")

    assert cache.get("kept") == 1
