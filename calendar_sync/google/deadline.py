"""The time that one operation may take, with all requests and waits."""

import time
from datetime import timedelta
from secrets import SystemRandom

_random = SystemRandom()


class Deadline:
    def __init__(self, budget: timedelta) -> None:
        self._end = time.monotonic() + budget.total_seconds()

    @property
    def seconds_left(self) -> float:
        """Return what remains; zero or less when the time is up."""
        return self._end - time.monotonic()

    def wait(self, seconds: float) -> bool:
        """Sleep and return True, unless that would use up the time."""
        if seconds >= self.seconds_left:
            return False
        time.sleep(seconds)
        return True


def jittered(seconds: float) -> float:
    """Return half of ``seconds`` up to all of them, so that retries do not coincide."""
    return _random.uniform(seconds / 2, seconds)
