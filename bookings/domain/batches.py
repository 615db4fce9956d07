"""Batches: a failing row stops no other."""

import logging
import time
from collections.abc import Callable, Iterable
from typing import TypeVar

logger = logging.getLogger(__name__)

T = TypeVar("T")

# After this many in a row the provider counts as down; the rest wait for the next sweep.
FAILURES_IN_A_ROW = 3
# Slow successes must not delay the other sweeps; the next run continues.
SECONDS_IN_A_ROW = 45


def work_through(
    rows: Iterable[T],
    work: Callable[[T], bool],
    *,
    outage: type[Exception],
    name: str,
    max_failures: int = FAILURES_IN_A_ROW,
) -> int:
    """Call ``work`` for each row; return how often it was true.

    outage: the provider's error; ``max_failures`` in a row end the batch. Other errors are logged.
    """
    done = failures = 0
    end = time.monotonic() + SECONDS_IN_A_ROW
    for row in rows:
        try:
            done += work(row)
            failures = 0
        except outage as error:
            logger.warning("%s %s is put off: %s", name, getattr(row, "pk", row), error)
            failures += 1
        except Exception:
            logger.exception("%s %s failed.", name, getattr(row, "pk", row))
        if failures == max_failures or time.monotonic() >= end:
            break
    return done
