"""Ends process groups, whose ids it reads line by line, once its input is closed."""

import os
import signal
import sys
import time
from contextlib import suppress

STOP_SECONDS = 10


def main() -> None:
    groups = [int(line) for line in sys.stdin]
    for group in groups:
        _send(group, signal.SIGTERM)
    give_up_at = time.monotonic() + STOP_SECONDS
    while any(_send(group, 0) for group in groups) and time.monotonic() < give_up_at:
        time.sleep(0.1)
    for group in groups:
        _send(group, signal.SIGKILL)


def _send(group: int, number: int) -> bool:
    with suppress(ProcessLookupError):
        os.killpg(group, number)
        return True
    return False


if __name__ == "__main__":
    main()
