"""Taking turns: rows are worked through one after the other, and a bad one stops no other."""

import logging
from collections.abc import Callable, Iterable
from typing import TypeVar

logger = logging.getLogger(__name__)

T = TypeVar("T")

# So many in a row, and the provider is taken to be down: the rest wait for the next sweep.
FAILURES_IN_A_ROW = 3


def work_through(
    rows: Iterable[T],
    work: Callable[[T], bool],
    *,
    outage: type[Exception],
    name: str,
    max_failures: int = FAILURES_IN_A_ROW,
) -> int:
    """Work through rows; returns for how many ``work`` was true.

    outage: what ``work`` raises when the provider failed; ``max_failures`` in a row end the round.
    Anything else that it raises is a bug or a row that cannot be, and must not keep others waiting.
    """
    done = failures = 0
    for row in rows:
        try:
            done += work(row)
            failures = 0
        except outage as error:
            logger.warning("%s %s is put off: %s", name, getattr(row, "pk", row), error)
            failures += 1
        except Exception:
            logger.exception("%s %s failed.", name, getattr(row, "pk", row))
        if failures == max_failures:
            break
    return done
