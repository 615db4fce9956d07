"""What only the calendar in memory has: tests look into it and make it fail."""

import pytest

from calendar_sync import CalendarUnavailableError
from calendar_sync.memory import MemoryCalendar


def test_memory_calendar_is_one_for_the_process(draft):
    MemoryCalendar(refresh_token="a").create_event(draft)

    MemoryCalendar(refresh_token="b").create_event(draft)

    assert MemoryCalendar.live_events() == [draft]


def test_memory_calendar_forgets_when_reset(draft):
    MemoryCalendar().create_event(draft)
    MemoryCalendar.fail_with(CalendarUnavailableError("down"))

    MemoryCalendar.reset()

    assert MemoryCalendar().upcoming_events(since=draft.start) == []


def test_memory_calendar_fails_as_told(draft):
    failure = CalendarUnavailableError("down")
    MemoryCalendar.fail_with(failure)

    for call in (
        lambda: MemoryCalendar().create_event(draft),
        lambda: MemoryCalendar().update_event(draft),
        lambda: MemoryCalendar().delete_event(draft.event_id, reference=draft.reference),
        lambda: MemoryCalendar().upcoming_events(since=draft.start),
    ):
        with pytest.raises(CalendarUnavailableError) as caught:
            call()
        assert caught.value is failure
