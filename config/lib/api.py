"""Words of the views of ``/api``: their refusals and descriptions."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

from django_stubs_ext import StrOrPromise
from drf_spectacular.utils import extend_schema

E = TypeVar("E", bound=Exception)
Handler = TypeVar("Handler", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Refusal:
    """The answer to a domain error, in a view's ``refusals``.

    text: by default the error's own. has_code: also answer the error's ``code``. retry_after:
    seconds, by default the error's ``wait_seconds``. warning: logged with the error.
    """

    status: int
    text: StrOrPromise = ""
    has_code: bool = False
    retry_after: int | None = None
    warning: str = ""


def with_subclasses(refusals: Mapping[type[E], Refusal]) -> dict[type[E], Refusal]:
    """Return the refusal of every error that a view answers, so that the document lacks none."""
    answered, kinds = dict(refusals), [*refusals]
    for kind in kinds:
        for child in kind.__subclasses__():
            answered.setdefault(child, answered[kind])
            kinds.append(child)
    return answered


def find_refusal(
    refusals: Mapping[type[Exception], Refusal], kind: type[Exception]
) -> Refusal | None:
    return next((refusals[base] for base in kind.__mro__ if base in refusals), None)


def operation(
    name: str,
    *,
    errors: Iterable[type[Exception]] = (),
    texts: Mapping[int, Iterable[StrOrPromise]] | None = None,
    **shapes: Any,
) -> Callable[[Handler], Handler]:
    """Describe a handler; the rest is in the ``openapi.yaml`` beside its module.

    name: the operation's id. errors: of the view's ``refusals`` those that it answers, by default
    all. texts: further ``{"error": text}`` by status. shapes: as for ``extend_schema``.
    """

    def describe(handler: Handler) -> Handler:
        marked: Any = handler
        marked.api_errors, marked.api_texts = tuple(errors), texts or {}
        return extend_schema(operation_id=name, **shapes)(handler)

    return describe


def say_duration(duration: timedelta) -> str:
    """Return ``90 days``."""
    seconds = int(duration.total_seconds())
    units = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))
    size, name = next(unit for unit in units if seconds % unit[0] == 0)
    return f"{seconds // size} {name}{'' if seconds == size else 's'}"


def say_bytes(number: int) -> str:
    """Return ``64 KiB``."""
    return f"{number:,} bytes" if number % 1024 else f"{number // 1024:,} KiB"
