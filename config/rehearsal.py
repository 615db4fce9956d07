"""Requests that the server makes to itself before its workers fork.

What a process does for the first time leaves traces all over its memory: templates are compiled,
addresses and texts are looked up, and Python notes in the code itself how it ran. Before the fork
that is done once for all workers. After it, each of them gets a copy of whatever it writes to.
"""

from contextlib import suppress
from typing import Any
from wsgiref.util import setup_testing_defaults

from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest

from config.observing import UNTOLD
from config.wsgi import application

# A stranger's, who asks neither the database nor a provider: nothing is connected at the fork.
PATHS = ("/inicio", "/api/auth/session", "/api/user-data")


def rehearse() -> list[int]:
    """Answer them; give the statuses. Neither log nor figures are told of requests."""
    statuses: list[int] = []
    # What fails does so for visitors as well, who are told; the server starts nevertheless.
    with suppress(Exception):
        for path in PATHS:
            response = application.get_response(_request(path))
            response.close()
            statuses.append(response.status_code)
    return statuses


def _request(path: str) -> WSGIRequest:
    environ: dict[str, Any] = {
        "PATH_INFO": path,
        "HTTP_HOST": settings.ALLOWED_HOSTS[0],
        "HTTP_X_FORWARDED_PROTO": "https",
        "REMOTE_ADDR": "127.0.0.1",
        UNTOLD: True,
    }
    setup_testing_defaults(environ)  # what else WSGI asks for
    return application.request_class(environ)
