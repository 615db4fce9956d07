"""A stand-in of a mail service: takes every mail by SMTP, keeps it as a file, and shows it."""

import re
import socketserver
import threading
from collections.abc import Callable
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from html import escape
from pathlib import Path
from typing import Any, ClassVar, Self

from tests.standins.messages import RecordedRequest, RefusedError, Reply, json_reply, page_reply
from tests.standins.server import Route, Standin, route
from tests.standins.sign_in import page, style_reply

PROVIDER = "Correo"
NAME_LENGTH = 100

_LINE = """<li><a href="/{number}">{subject}</a><small>para {to} · {when}</small></li>"""
_LIST = """<p>Acá llegan todos los correos, el último primero. <a href="/">Actualizar</a></p>
<ul class="lines">{lines}</ul>"""
_NOTHING = "<li>Todavía no llegó ninguno. Reservá, pagá o cancelá una clase.</li>"
# The frame runs nothing; a link opens beside it.
_MAIL = """<p>De {sender}<br>Para {to}<br>{when}</p>
<iframe class="mail" title="El correo" sandbox="allow-popups allow-popups-to-escape-sandbox"
  srcdoc="{html}"></iframe>
<details><summary>Como texto</summary><pre>{text}</pre></details>
<p><a href="/">Todos los correos</a> · <a href="/{number}.eml">Archivo .eml</a></p>"""


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail that came. source: as it came."""

    number: int
    source: bytes
    message: EmailMessage

    @property
    def file_name(self) -> str:
        """A name that tells the mails of a folder apart, in the order in which they came."""
        words = f"{self.number:03} {self.message['to']} {self.message['subject']}"
        return re.sub(r"[^\w@.]+", "-", words)[:NAME_LENGTH].strip("-.") + ".eml"

    def part(self, subtype: str) -> str:
        """The text of the body in one of its forms: ``plain`` or ``html``; empty without it."""
        body = self.message.get_body((subtype,))
        return str(body.get_content()).replace("\r\n", "\n") if body else ""


class MailStandin(Standin):
    """A mail service on loopback.

    ``smtp_port``: where it takes mails (0: any). ``folder``: where it keeps each as an .eml file.
    """

    routes: ClassVar[tuple[Route, ...]] = (
        route("list", "GET", "/", "_list"),
        route("show", "GET", r"/(\d+)", "_show"),
        route("file", "GET", r"/(\d+)\.eml", "_file"),
        route("style", "GET", "/style.css", "_style"),
    )

    def _forget(self) -> None:
        super()._forget()
        self.smtp_port = 0
        self.folder: Path | None = None
        self.mails: list[Mail] = []

    def start(self) -> None:
        """Listen for mails and for readers."""
        self.smtp = MailServer(self._take, self.smtp_port).__enter__()
        super().start()

    def stop(self) -> None:
        """Stop listening. What came stays."""
        if self._server is not None:
            super().stop()
            self.smtp.__exit__()

    def error_body(self, route_name: str, code: int, reason: str) -> Any:
        return {"error": reason or "Error"}

    def _take(self, source: bytes) -> None:
        message = message_from_bytes(source, policy=policy.default)
        with self.lock:
            mail = Mail(len(self.mails) + 1, source, message)
            self.mails.append(mail)
        if self.folder:
            (self.folder / mail.file_name).write_bytes(source)

    def _find(self, request: RecordedRequest) -> Mail:
        number = int(request.segments[0])
        if not 0 < number <= len(self.mails):
            raise RefusedError(json_reply(self.error_body("", 404, "No hay tal correo."), 404))
        return self.mails[number - 1]

    def _list(self, request: RecordedRequest) -> Reply:
        lines = "\n".join(
            _LINE.format(number=mail.number, **_headers(mail)) for mail in reversed(self.mails)
        )
        return page_reply(
            page(PROVIDER, "Correos recibidos", _LIST.format(lines=lines or _NOTHING))
        )

    def _show(self, request: RecordedRequest) -> Reply:
        mail = self._find(request)
        text = mail.part("plain")
        html = mail.part("html") or f"<pre>{escape(text)}</pre>"
        content = _MAIL.format(
            number=mail.number,
            html=escape(f'<base target="_blank">{html}'),
            text=escape(text),
            **_headers(mail),
        )
        return page_reply(page(PROVIDER, str(mail.message["subject"]), content))

    def _file(self, request: RecordedRequest) -> Reply:
        mail = self._find(request)
        return Reply(
            body=mail.source,
            content_type="message/rfc822",
            headers={"Content-Disposition": f'attachment; filename="{mail.number:03}.eml"'},
        )

    def _style(self, request: RecordedRequest) -> Reply:
        return style_reply()


def _headers(mail: Mail) -> dict[str, str]:
    """Give what a line and a page say of a mail, ready for HTML."""
    date = mail.message["date"]
    when = date.datetime.astimezone().strftime("%d/%m %H:%M:%S") if date else ""
    texts = {
        "subject": str(mail.message["subject"]),
        "to": str(mail.message["to"]),
        "sender": str(mail.message["from"]),
        "when": when,
    }
    return {name: escape(text) for name, text in texts.items()}


class _Conversation(socketserver.StreamRequestHandler):
    """As much of SMTP (RFC 5321) as a client needs that asks for no extension."""

    server: "_Server"

    def handle(self) -> None:
        """Greet, and answer each line until the client says goodbye."""
        self.server.conversations += 1
        self._say("220 loopback")
        while line := self.rfile.readline():
            verb = line[:4].upper()
            if verb == b"DATA":
                self._take_mail()
            else:
                self._say("221 Bye" if verb == b"QUIT" else "250 OK")

    def _take_mail(self) -> None:
        self._say("354 Go on")
        lines = []
        while (line := self.rfile.readline()) != b".\r\n":
            if not line:
                return  # cut off: the client sends it again
            # The client doubles a dot at the beginning of a line.
            lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
        self.server.mails += 1
        self.server.take(b"".join(lines))
        self._say("250 OK")

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    conversations = 0
    mails = 0
    take: Callable[[bytes], object]


class MailServer:
    """Serves while the block runs; its counts can be read afterwards."""

    def __init__(self, take: Callable[[bytes], object] = bytes, port: int = 0) -> None:
        """Call ``take`` with each mail as it came, before the client hears that it was taken."""
        self._take = take
        self._port = port

    def __enter__(self) -> Self:
        self._server = _Server(("127.0.0.1", self._port), _Conversation)
        self._server.take = self._take
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        host, port = self._server.server_address[:2]
        return str(host), int(port)

    @property
    def conversations(self) -> int:
        """How many connections clients made."""
        return self._server.conversations

    @property
    def mails(self) -> int:
        """How many mails it took."""
        return self._server.mails
