"""What the work at hand belongs to: the request that asked for it, or a turn of a sweep.

Each line of the log says so (``config/monitoring/logs.py``): whoever has one line finds the others.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from secrets import token_hex
from types import MappingProxyType

# Names and values for the log, such as ``request_id``. A thread begins without any; whoever starts
# one for a request hands them on.
work_tags: ContextVar[Mapping[str, str]] = ContextVar("work_tags", default=MappingProxyType({}))


@contextmanager
def tagged(**tags: str) -> Iterator[None]:
    """Have every line that is logged meanwhile say what it belongs to."""
    token = work_tags.set(tags)
    try:
        yield
    finally:
        work_tags.reset(token)


def new_id() -> str:
    """Give an id that no other work has: 16 digits, which tell nothing."""
    return token_hex(8)
