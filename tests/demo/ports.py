"""The demo's ports."""

import socket
from contextlib import ExitStack
from dataclasses import dataclass

from django.core.management.base import CommandError

HOST = "127.0.0.1"
# From the site's port to each stand-in's, if that port is free.
OFFSETS = {"google": 101, "github": 102, "mercadopago": 103, "receiver": 104, "mail": 105}


@dataclass(frozen=True, slots=True)
class Ports:
    """mail: the page of the mails; smtp: their server."""

    web: int
    google: int
    github: int
    mercadopago: int
    receiver: int
    mail: int
    smtp: int


def choose_ports(web: socket.socket) -> Ports:
    """Choose a free port for each stand-in, near the site's."""
    host, port = web.getsockname()
    with ExitStack() as stack:
        # All stay bound until the end, so that no two are the same.
        chosen = {
            name: stack.enter_context(_bind_near(host, port + offset))
            for name, offset in OFFSETS.items()
        }
        chosen["smtp"] = stack.enter_context(_bind(HOST, 0))
        return Ports(web=port, **{name: one.getsockname()[1] for name, one in chosen.items()})


def listen(port: int, host: str = HOST) -> socket.socket:
    """Listen on the site's port; requests wait until the server takes the socket over.

    Raises CommandError if the port is in use or invalid.
    """
    try:
        listener = _bind(host, port)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or "not between 0 and 65535"
        raise CommandError(
            f"Port {port} cannot be used ({reason}). Another one: make run ARGS=--port=9000"
        ) from error
    listener.listen(128)
    return listener


def _bind_near(host: str, port: int) -> socket.socket:
    """Bind the port; another one if it is in use."""
    try:
        return _bind(host, port)
    except (OSError, OverflowError):
        return _bind(host, 0)


def _bind(host: str, port: int) -> socket.socket:
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        one.bind((host, port))
    except BaseException:
        one.close()
        raise
    return one
