"""Gunicorn's settings: ``gunicorn --config config/gunicorn.py``.

It needs a proxy that reads requests whole (docs/deploy-reasons.md).
https://docs.gunicorn.org/en/stable/settings.html
"""

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
# Workers share the loaded code's memory; threads connect to the database later. A new release needs
# a restart: SIGHUP reloads nothing.
preload_app = True


def when_ready(server: Arbiter) -> None:
    """Load what first requests would load, before the fork."""
    get_resolver().url_patterns  # noqa: B018 - reading them imports the views


# --- Work ---

workers = 2
worker_class = "gthread"
# Per worker. Each has a database connection. Half of them may wait for the calendar
# (CALENDAR_WRITERS), a quarter for Mercado Pago (MERCADOPAGO_CALLERS).
threads = 16
# Connections per worker, idle ones included; more wait in the kernel's queue.
worker_connections = 500
# Longer than a proxy keeps idle connections (nginx: 60), or its request meets a closed one.
keepalive = 75
# After SIGTERM a request may take a provider's eight seconds and a statement's fifteen, a job four
# seconds (config/lib/background_jobs.py) and a receiver's twenty. The sweeps finish the
# rest once its lease is over.
graceful_timeout = 25
timeout = 30
# Heartbeats in memory, so that a slow or read-only disk ends no worker.
worker_tmp_dir = MEMORY if Path(MEMORY).is_dir() else None

# --- Limits and headers of requests ---

limit_request_line = 4094
limit_request_fields = 64
limit_request_field_size = 8190
# Only Django reads forwarded headers (BASE_URL, TRUSTED_PROXIES). By default gunicorn takes path
# and scheme from them, and refuses requests whose X-Forwarded-Ssl and -Proto differ.
forwarder_headers = ""
secure_scheme_headers: dict[str, str] = {}
# The control socket needs a $HOME.
control_socket_disable = True

# --- Logs ---


class ServerFormatter(MaskingFormatter):
    def format(self, record: logging.LogRecord) -> str:
        is_json = settings.configured and getattr(settings, "LOG_FORMAT", "text") == "json"
        return JSONFormatter().format(record) if is_json else super().format(record)


class MaskingLogger(Logger):  # type: ignore[misc]  # gunicorn carries no types
    def setup(self, cfg: object) -> None:
        super().setup(cfg)
        formats = ((self.error_log, self.error_fmt), (self.access_log, self.access_fmt))
        for log, text in formats:
            for handler in log.handlers:
                handler.setFormatter(ServerFormatter(text, self.datefmt))


logger_class = MaskingLogger
# Off by default (config/monitoring/request_log.py). Path only: a query may hold a sign-in.
access_log_format = '%(h)s %(t)s "%(m)s %(U)s" %(s)s %(B)s bytes %(M)s ms'
