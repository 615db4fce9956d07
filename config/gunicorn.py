"""Gunicorn's settings: ``gunicorn --config config/gunicorn.py``.

It needs a proxy in front that reads requests whole (docs/deploy.md): no setting ends a slow sender.
https://docs.gunicorn.org/en/stable/settings.html
"""

import gc
import logging
from pathlib import Path

from django.conf import settings
from django.urls import get_resolver
from gunicorn.arbiter import Arbiter
from gunicorn.glogging import Logger

from config.monitoring.logs import JSONFormatter, MaskingFormatter

MEMORY = "/dev/shm"  # the file has no name there # noqa: S108 # nosec B108

wsgi_app = "config.wsgi"
bind = ["127.0.0.1:8000"]
# The code is loaded once, and the workers share its memory. Nothing is connected by then: each
# thread opens its own connection to the database with its first query. A new release needs a
# restart, SIGHUP brings none; nobody is refused meanwhile where somebody else holds the socket.
preload_app = True


def when_ready(server: Arbiter) -> None:
    """Load what first requests would load, before the fork, and keep it shared.

    ``gc.freeze`` keeps the collector from copying pages. The last, empty collection resets its
    threshold.
    """
    get_resolver().url_patterns  # noqa: B018 - reading them imports the views
    gc.collect()
    gc.freeze()
    gc.collect()


# --- Work ---

workers = 2
worker_class = "gthread"
# Per worker. Each is a connection to the database, and may wait for a provider; settings let half
# of them wait for the calendar (CALENDAR_WRITERS) and a quarter for Mercado Pago
# (MERCADOPAGO_CALLERS), so that the others go on.
threads = 16
# Connections per worker, those at rest included; more wait in the kernel's queue.
worker_connections = 500
# Longer than a proxy keeps its connections at rest (nginx: 60), or it sends a request into one that
# is being closed.
keepalive = 75
# What is being answered at SIGTERM may go on for as long as a request takes at most: a provider's
# eight seconds, a statement's fifteen. What stops the master waits a little longer.
# Background jobs are waited for as well: they begin nothing new after four seconds
# (config/lib/background_jobs.py), and a receiver has fifteen, and five to connect. The sweeps
# finish what is cut off all the same, once its lease is over.
graceful_timeout = 25
timeout = 30
# Workers show that they live by touching a file: in memory, so neither a slow disk nor a read-only
# one ends them.
worker_tmp_dir = MEMORY if Path(MEMORY).is_dir() else None

# --- What is read and believed ---

limit_request_line = 4094
limit_request_fields = 64
limit_request_field_size = 8190
# Django alone reads forwarded headers, as BASE_URL and TRUSTED_PROXIES say. Left alone, gunicorn
# takes path and scheme from headers, of anybody who comes through a proxy on this machine or a Unix
# socket, and refuses requests whose X-Forwarded-Ssl and -Proto differ.
forwarder_headers = ""
secure_scheme_headers: dict[str, str] = {}
# It would listen for commands below $HOME, which need not exist.
control_socket_disable = True

# --- Logs ---


class ServerFormatter(MaskingFormatter):
    """Format a line as the service does, once its settings are loaded."""

    def format(self, record: logging.LogRecord) -> str:
        is_json = settings.configured and getattr(settings, "LOG_FORMAT", "text") == "json"
        return JSONFormatter().format(record) if is_json else super().format(record)


class MaskingLogger(Logger):  # type: ignore[misc]  # gunicorn carries no types
    """Gunicorn's logger, with secrets masked: it quotes bad requests."""

    def setup(self, cfg: object) -> None:
        super().setup(cfg)
        formats = ((self.error_log, self.error_fmt), (self.access_log, self.access_fmt))
        for log, text in formats:
            for handler in log.handlers:
                handler.setFormatter(ServerFormatter(text, self.datefmt))


logger_class = MaskingLogger
# Off unless asked for: config/monitoring/request_log.py writes a line for each request.
# Path only, for a query may be somebody's sign-in.
access_log_format = '%(h)s %(t)s "%(m)s %(U)s" %(s)s %(B)s bytes %(M)s ms'
