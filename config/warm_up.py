"""Requests that the server makes to itself before its workers fork.

What a process does for the first time leaves traces all over its memory: templates are compiled,
addresses and texts are looked up, and Python notes in the code itself how it ran. Before the fork
that is done once for all workers. After it, each of them gets a copy of whatever it writes to.
"""

import logging
from http import HTTPStatus
from typing import Any
from wsgiref.util import setup_testing_defaults

from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest

from config.observing import UNOBSERVED
from config.wsgi import application

logger = logging.getLogger(__name__)

# A stranger's, who asks neither the database nor a provider: nothing is connected at the fork.
PATHS = ("/inicio", "/api/auth/session", "/api/user-data")


def warm_up() -> list[int]:
    """Answer them; give the statuses. Neither log nor figures are told of requests.

    Whatever fails is logged: visitors may be served all the same.
    """
    statuses: list[int] = []
    try:
        for path in PATHS:
            response = application.get_response(_request(path))
            response.close()
            statuses.append(response.status_code)
    except Exception:  # of whatever kind: it must not keep the server from starting
        logger.exception("The warm-up came to an early end.")
    if any(status >= HTTPStatus.INTERNAL_SERVER_ERROR for status in statuses):
        logger.warning("The warm-up was answered %s.", statuses)
    return statuses


def _request(path: str) -> WSGIRequest:
    environ: dict[str, Any] = {
        "PATH_INFO": path,
        "HTTP_HOST": settings.ALLOWED_HOSTS[0],
        "HTTP_X_FORWARDED_PROTO": "https",
        "REMOTE_ADDR": "127.0.0.1",
        UNOBSERVED: True,
    }
    setup_testing_defaults(environ)  # what else WSGI asks for
    return application.request_class(environ)
