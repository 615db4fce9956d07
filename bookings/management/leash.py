"""Ends the process groups that another process started, after that process has ended.

``python -m bookings.management.leash`` reads a group's id a line, until its input is closed.
"""

import os
import signal
import sys
import time
from contextlib import suppress

STOP_SECONDS = 10


def main() -> None:
    """Wait for the end of the input, then terminate each group, and kill what is left."""
    groups = [int(line) for line in sys.stdin]
    for group in groups:
        _send(group, signal.SIGTERM)
    give_up_at = time.monotonic() + STOP_SECONDS
    while any(_send(group, 0) for group in groups) and time.monotonic() < give_up_at:
        time.sleep(0.1)
    for group in groups:
        _send(group, signal.SIGKILL)


def _send(group: int, number: int) -> bool:
    """Signal a group; return False if it is gone."""
    with suppress(ProcessLookupError):
        os.killpg(group, number)
        return True
    return False


if __name__ == "__main__":
    main()
