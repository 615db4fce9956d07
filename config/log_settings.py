from typing import Any


def log_settings(log_format: str) -> dict[str, Any]:
    """log_format: ``json`` or ``text``."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "json": {"()": "config.monitoring.logs.JSONFormatter"},
            "text": {"()": "config.monitoring.logs.PlainFormatter"},
        },
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": log_format}},
        "root": {"handlers": ["console"], "level": "INFO"},
        "loggers": {
            # Django's own handlers would print each line a second time.
            "django": {"handlers": [], "level": "INFO", "propagate": True},
            # Refused requests are no events; server errors are.
            "django.request": {"level": "ERROR"},
            # Scanners ask for foreign hosts all day, and forms over the limits are refused.
            "django.security.DisallowedHost": {"level": "CRITICAL"},
            "django.security.RequestDataTooBig": {"level": "CRITICAL"},
            "django.security.TooManyFieldsSent": {"level": "CRITICAL"},
            "django.security.TooManyFilesSent": {"level": "CRITICAL"},
        },
    }
