"""Classes whose scheduling was asked for and not finished, and a calendar that fails."""

from datetime import timedelta

import time_machine
from django.utils import timezone

from bookings.domain.classes.finishing import finish_requested_schedulings
from calendar_sync import CalendarUnavailableError, CreatedEvent
from tests.factories import VirtualClassFactory

LONG_AGO = timedelta(minutes=5)
MINUTE = timedelta(minutes=1)
DOWN = CalendarUnavailableError("down")


class TroubledCalendar:
    """A calendar in memory that is down, or fails for some classes only; it counts its calls."""

    events: dict[str, str] = {}
    calls: list[str] = []
    failures: dict[str, Exception] = {}
    failure: Exception | None = None

    def __init__(self, *, refresh_token):
        """Need no grant."""

    @classmethod
    def fail_with(cls, failure):
        """Fail for all classes, or for none."""
        cls.failure = failure

    def create_event(self, draft):
        """Fail as ordered."""
        self.calls.append(draft.reference)
        self._fail_for(draft.reference)
        self.events[draft.event_id] = draft.reference
        address = f"https://meet.example/{draft.event_id}"
        return CreatedEvent(
            draft.event_id, draft.summary, draft.description, draft.start, draft.end, address
        )

    def delete_event(self, event_id, *, reference, named_by_provider=False):
        """Fail as ordered."""
        self._fail_for(reference)
        self.events.pop(event_id, None)

    def _fail_for(self, reference):
        if failure := self.failure or self.failures.get(reference):
            raise failure


def interrupted(host, *, day=1, since=LONG_AGO):
    """Store a class whose scheduling was asked for and not finished."""
    return VirtualClassFactory(
        booked_by=host,
        start_time=timezone.now() + timedelta(days=day),
        scheduling_requested_at=timezone.now() - since,
    )


def interrupt_many(host, count):
    """Store such classes, in the order of their wishes."""
    return [interrupted(host, day=n + 1, since=LONG_AGO * (count - n)) for n in range(count)]


def sweep_every_minute(times):
    """Let minutes pass and sweep in each; give what each sweep did."""
    done = []
    for minute in range(1, times + 1):
        with time_machine.travel(timezone.now() + MINUTE * minute):
            done.append(finish_requested_schedulings())
    return done
