"""A mail server on loopback that takes every mail."""

import socketserver
import threading
from collections.abc import Callable
from typing import Self


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
