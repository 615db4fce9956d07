"""What goes in and out of a stand-in: the parsed request and the reply to be sent."""

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from email.message import Message
from http import HTTPStatus
from typing import Any, Literal, Self
from urllib.parse import parse_qsl, unquote


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """One call, as it arrived. Kept in memory only, since it holds tokens and secrets.

    route: the stand-in's name for it, such as ``events.insert``; empty for an unknown path.
    segments: the variable parts of the path, decoded.
    query: the last value of each name; ``pairs`` has them all.
    headers: looked up without regard to case.
    json: the parsed body; None when there is none or it does not parse.
    """

    route: str
    method: str
    path: str
    segments: Sequence[str]
    pairs: Sequence[tuple[str, str]]
    headers: Message
    body: bytes = field(repr=False)

    @property
    def query(self) -> dict[str, str]:
        return dict(self.pairs)

    @property
    def json(self) -> Any:
        try:
            return json.loads(self.body) if self.body else None
        except ValueError:
            return None

    @property
    def form(self) -> dict[str, str]:
        return dict(parse_qsl(self.body.decode(errors="replace"), keep_blank_values=True))

    @property
    def bearer(self) -> str:
        """The access token of the call: ``Bearer x`` or GitHub's ``token x``; else empty."""
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        return token.strip() if scheme.lower() in {"bearer", "token"} else ""

    @property
    def client(self) -> tuple[str, str]:
        """Client id and secret, from HTTP Basic or from the form."""
        scheme, _, encoded = self.headers.get("Authorization", "").partition(" ")
        if scheme.lower() == "basic":
            try:
                name, _, secret = base64.b64decode(encoded).decode().partition(":")
            except (binascii.Error, UnicodeDecodeError):
                return "", ""
            return unquote(name), unquote(secret)
        form = self.form
        return form.get("client_id", ""), form.get("client_secret", "")

    def all(self, name: str) -> list[str]:
        """Every value of a repeated query parameter."""
        return [value for key, value in self.pairs if key == name]


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, complete but for the headers every answer has."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json; charset=UTF-8"
    headers: Mapping[str, str] = field(default_factory=dict)

    def encode(self, *, closing: bool = False) -> bytes:
        """Give the bytes on the wire: one write for each answer."""
        lines = [
            f"HTTP/1.1 {self.status} {_phrase(self.status)}",
            f"Content-Length: {len(self.body)}",
            "Cache-Control: no-store",
        ]
        if self.body:
            lines.append(f"Content-Type: {self.content_type}")
        if closing:
            lines.append("Connection: close")
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        return "\r\n".join([*lines, "", ""]).encode("latin-1") + self.body


class RefusedError(Exception):
    """A handler's way out: answer with ``reply``."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(f"{reply.status} {reply.body.decode(errors='replace')}")
        self.reply = reply


def json_reply(data: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    return Reply(status, json.dumps(data).encode(), headers=headers or {})


def page_reply(html: str, status: int = 200) -> Reply:
    return Reply(status, html.encode(), "text/html; charset=utf-8")


def redirect_reply(location: str) -> Reply:
    return Reply(303, headers={"Location": location})


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"


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
