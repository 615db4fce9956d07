"""A stand-in of somebody's own system: takes the service's webhooks, checks and shows them."""

import base64
import hashlib
import hmac
from dataclasses import dataclass
from html import escape
from typing import Any, ClassVar

from tests.standins.messages import RecordedRequest, Reply, json_reply, page_reply
from tests.standins.server import Route, Standin, route
from tests.standins.sign_in import page, style_reply

SHOWN = 50

_EVENT = """<li><strong>{kind}</strong> {when}
<small>{verdict} · {id}</small>
<details><summary>Contenido</summary><pre>{body}</pre></details></li>"""
_LIST = """<p>Acá llegan los avisos que el panel le manda a otros sistemas, lo último primero.
<a href="/">Actualizar</a></p>
<ul class="lines">{events}</ul>"""
_NOTHING = "<li>Todavía no llegó ninguno. Reservá, pagá o cancelá una clase.</li>"


@dataclass(frozen=True, slots=True)
class Event:
    """What arrived. created_at: as the event says."""

    id: str
    kind: str
    created_at: str
    body: str
    is_signed: bool


class ReceiverStandin(Standin):
    """A receiver on loopback. ``secret`` is the one that the service signs with."""

    routes: ClassVar[tuple[Route, ...]] = (
        route("take", "POST", "/avisos", "_take"),
        route("show", "GET", "/", "_show"),
        route("style", "GET", "/style.css", "_style"),
    )

    def _forget(self) -> None:
        super()._forget()
        self.secret = ""
        self.events: dict[str, Event] = {}

    def error_body(self, route_name: str, code: int, reason: str) -> Any:
        return {"error": reason or "Error"}

    def _take(self, request: RecordedRequest) -> Reply:
        """Take an event once, however often it comes. What nobody signed is refused."""
        told = request.json or {}
        event = Event(
            id=request.headers.get("webhook-id", ""),
            kind=str(told.get("type")),
            created_at=str(told.get("createdAt")),
            body=request.body.decode(errors="replace"),
            is_signed=self._is_signed(request),
        )
        self.events.setdefault(event.id, event)
        return json_reply({"ok": event.is_signed}, 200 if event.is_signed else 401)

    def _is_signed(self, request: RecordedRequest) -> bool:
        key = base64.b64decode(self.secret.removeprefix("whsec_"))
        told = request.headers
        content = f"{told.get('webhook-id')}.{told.get('webhook-timestamp')}.".encode()
        digest = hmac.digest(key, content + request.body, hashlib.sha256)
        wanted = "v1," + base64.b64encode(digest).decode()
        return wanted in told.get("webhook-signature", "").split(" ")

    def _show(self, request: RecordedRequest) -> Reply:
        newest = list(reversed(self.events.values()))[:SHOWN]
        lines = "\n".join(
            _EVENT.format(
                kind=escape(event.kind),
                when=escape(event.created_at),
                verdict="firma correcta" if event.is_signed else "FIRMA INCORRECTA",
                id=escape(event.id),
                body=escape(event.body),
            )
            for event in newest
        )
        return page_reply(
            page("Otro sistema", "Avisos recibidos", _LIST.format(events=lines or _NOTHING))
        )

    def _style(self, request: RecordedRequest) -> Reply:
        return style_reply()
