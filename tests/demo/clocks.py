"""The clocks of a demo that runs at another time."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

from django.utils import timezone

# Its ``sitecustomize`` moves the clock of a Python process that finds it.
FOLDER = Path(__file__).parent / "clock"
# The data of such a demo is a day old: a class that was booked then may be given today.
AGE_OF_DATA = timedelta(days=1)


@contextmanager
def moved_clock(now: datetime | None) -> Iterator[timedelta | None]:
    """Move this process's clock to ``now``; yield how far ahead, None for the real time."""
    if now is None:
        yield None
        return
    import time_machine  # a developer's package: ``make run`` does without it

    ahead = now - timezone.now()
    with time_machine.travel(now, tick=True):
        yield ahead


def clock_environment(ahead: timedelta | None) -> dict[str, str]:
    """Return the environment of a child whose clock is so far ahead."""
    if ahead is None:
        return {}
    return {"DEMO_CLOCK_AHEAD": str(ahead.total_seconds()), "PYTHONPATH": str(FOLDER)}
