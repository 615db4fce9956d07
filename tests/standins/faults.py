"""Faults a test can order from a stand-in, one for each coming call of a route."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self

Kind = Literal["status", "delay", "drop", "lost", "reset", "garbage", "empty", "half"]


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong with one call. Made by the class methods, queued with ``fault()``."""

    kind: Kind
    done: bool = False
    code: int = 200
    reason: str = ""
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0

    @classmethod
    def status(
        cls,
        code: int,
        reason: str = "",
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        *,
        done: bool = False,
    ) -> Self:
        """Answer with an error in the provider's own shape.

        reason: the provider's machine-readable word, such as ``rateLimitExceeded``.
        body: replaces the shape: text as it is, anything else as JSON.
        done: the call takes effect all the same.
        """
        return cls("status", done=done, code=code, reason=reason, body=body, headers=headers or {})

    @classmethod
    def delay(cls, seconds: float) -> Self:
        """Wait, then handle and answer the call as usual, even if the caller has left."""
        return cls("delay", done=True, seconds=seconds)

    @classmethod
    def drop(cls) -> Self:
        """Close the connection; the call has no effect.

        Some clients (httplib2) repeat such a call once by themselves: queue two to be noticed.
        """
        return cls("drop")

    @classmethod
    def lost(cls) -> Self:
        """Let the call take effect, then close the connection without an answer."""
        return cls("lost", done=True)

    @classmethod
    def reset(cls) -> Self:
        """Reset the connection (RST); the call has no effect."""
        return cls("reset")

    @classmethod
    def garbage(cls) -> Self:
        """Answer 200 with an HTML page, as a proxy in between would; no effect."""
        return cls("garbage")

    @classmethod
    def empty(cls) -> Self:
        """Answer 200 with ``{}``; no effect."""
        return cls("empty")

    @classmethod
    def half(cls) -> Self:
        """Let the call take effect, then close the connection in the middle of the answer."""
        return cls("half", done=True)
