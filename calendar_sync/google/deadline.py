"""How long one operation may take, all its requests and waits together."""

import time
from datetime import timedelta
from secrets import SystemRandom

_random = SystemRandom()


class Deadline:
    """The end of an operation's time."""

    def __init__(self, budget: timedelta) -> None:
        self._end = time.monotonic() + budget.total_seconds()

    @property
    def seconds_left(self) -> float:
        """What remains; zero or less when the time is up."""
        return self._end - time.monotonic()

    def wait(self, seconds: float) -> bool:
        """Sleep, unless that would use up the time. Tell whether it slept."""
        if seconds >= self.seconds_left:
            return False
        time.sleep(seconds)
        return True


def jittered(seconds: float) -> float:
    """Half of ``seconds`` up to all of them: those who failed together come back apart."""
    return _random.uniform(seconds / 2, seconds)
