"""The settings of log, metrics and error reports."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from config.env.values import Values

LOG_FORMATS = ("json", "text")
# The shortest token that cannot be guessed.
SHORTEST_TOKEN = 16


@dataclass(frozen=True, slots=True, repr=False)
class Monitoring:
    """The parsed values; prints none.

    metrics_directory: where processes keep counts; empty for memory.
    """

    log_format: str
    metrics_token: str
    metrics_directory: str
    sentry_dsn: str
    sentry_environment: str
    release: str


def parse_monitoring(read: Values, *, local: bool) -> Monitoring:
    """Read the values. local: log as text by default. Raises ImproperlyConfigured."""
    log_format = read.text("LOG_FORMAT", default="text" if local else "json")
    if log_format not in LOG_FORMATS:
        raise ImproperlyConfigured(f"LOG_FORMAT must be one of {', '.join(LOG_FORMATS)}.")
    return Monitoring(
        log_format=log_format,
        metrics_token=_metrics_token(read),
        metrics_directory=read.text("METRICS_DIRECTORY"),
        sentry_dsn=_sentry_dsn(read, local=local),
        sentry_environment=read.text("SENTRY_ENVIRONMENT", default="production"),
        release=read.text("RELEASE"),
    )


def _metrics_token(read: Values) -> str:
    token = read.text("METRICS_TOKEN")
    if token and (len(token) < SHORTEST_TOKEN or not token.isascii()):
        raise ImproperlyConfigured(
            f"METRICS_TOKEN must have {SHORTEST_TOKEN} or more plain characters."
        )
    return token


def _sentry_dsn(read: Values, *, local: bool) -> str:
    """Read ``https://key@host/number``; plain http for stand-ins only."""
    dsn = read.text("SENTRY_DSN")
    if not dsn:
        return ""
    try:
        parts = urlsplit(dsn)
        is_whole = bool(parts.username and parts.hostname and parts.path.strip("/").isdigit())
    except ValueError:
        is_whole = False
    if not is_whole or parts.scheme not in ({"https", "http"} if local else {"https"}):
        raise ImproperlyConfigured("SENTRY_DSN must be an address such as https://key@host/1.")
    return dsn
