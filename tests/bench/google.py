"""Google on loopback, in a process of its own, with a public calendar of fifty events."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from tests.bench.service import CALENDAR_KEY, TEACHER_EMAIL
from tests.drills.standins import Remote, Standins

EVENTS = 50


@contextmanager
def calendar_provider() -> Iterator[Remote]:
    """Run the stand-in while the block runs."""
    with Standins() as standins:
        google = standins.google
        google.add_person(email=TEACHER_EMAIL, name="Paula Profe")
        google.set(api_keys={CALENDAR_KEY}, public=True)
        start = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
        for number in range(1, EVENTS + 1):
            google.add_event(TEACHER_EMAIL, start=start + timedelta(hours=4 * number))
        yield google


def count_listings(google: Remote) -> int:
    """Say how often the events were asked for since the start; further pages are the same call."""
    return sum(
        request.route == "events.list" and "pageToken" not in request.query
        for request in google.requests()
    )
