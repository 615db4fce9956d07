"""Tags that name the request or sweep of each log line."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

# Names and values for the log, such as ``request_id``. A new thread has none.
work_tags: ContextVar[Mapping[str, str]] = ContextVar("work_tags", default=MappingProxyType({}))


@contextmanager
def tagged(**tags: str) -> Iterator[None]:
    token = work_tags.set(tags)
    try:
        yield
    finally:
        work_tags.reset(token)
