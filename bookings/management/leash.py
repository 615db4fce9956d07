"""Ends what a process has started, if that process is killed and cannot do it itself.

``python -m bookings.management.leash`` reads the ids of process groups, a line for each, until
nobody holds the other end of its input any more. Needs nothing but POSIX, and no Django.
"""

import os
import signal
import sys
import time
from contextlib import suppress

STOP_SECONDS = 10


def main() -> None:
    """Wait for the end, then stop every group that is left, by force if need be."""
    groups = [int(line) for line in sys.stdin]
    for group in groups:
        _send(group, signal.SIGTERM)
    give_up_at = time.monotonic() + STOP_SECONDS
    while any(_send(group, 0) for group in groups) and time.monotonic() < give_up_at:
        time.sleep(0.1)
    for group in groups:
        _send(group, signal.SIGKILL)


def _send(group: int, number: int) -> bool:
    """Signal a group; tell whether there is one."""
    with suppress(ProcessLookupError):
        os.killpg(group, number)
        return True
    return False


if __name__ == "__main__":
    main()
