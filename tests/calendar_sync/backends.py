"""Calendars with which tests decide when an answer comes."""

import threading
import time
from datetime import datetime
from typing import ClassVar

from calendar_sync import BusySlot, CalendarError


class GatedCalendar:
    """Reads its slots at once and answers when the gate opens."""

    failure: ClassVar[CalendarError | None] = None
    seconds: ClassVar[float] = 0
    slots: ClassVar[list[BusySlot]] = []
    calls: ClassVar[int] = 0
    asked: ClassVar[threading.Event] = threading.Event()
    gate: ClassVar[threading.Event] = threading.Event()

    def __init__(self, *, refresh_token: str | None) -> None:
        pass

    @classmethod
    def reset(cls) -> None:
        cls.slots, cls.failure, cls.seconds = [], None, 0
        cls.calls = 0
        cls.asked.clear()
        cls.gate.clear()

    def upcoming_events(self, *, since: datetime, limit: int | None = None) -> list[BusySlot]:
        cls = type(self)
        cls.calls += 1
        found = list(cls.slots)
        cls.asked.set()
        assert cls.gate.wait(5)
        time.sleep(cls.seconds)
        if cls.failure:
            raise cls.failure
        return found
