"""config/gunicorn.py: what it waits for and logs. tests/api/test_real_server.py has the rest."""

import logging
from datetime import timedelta
from types import SimpleNamespace

import pytest
from gunicorn.config import Config

from bookings.webhooks.sending import CONNECT_SECONDS
from config.gunicorn import MaskingLogger, access_log_format, graceful_timeout, threads
from config.lib.background_jobs import SECONDS_OUT
from config.monitoring.logs import MaskingFormatter


@pytest.fixture
def logger():
    """Gunicorn's logger with an access log; its handlers are taken off again."""
    configuration = Config()
    configuration.set("accesslog", "-")
    configuration.set("access_log_format", access_log_format)
    logger = MaskingLogger(configuration)
    yield logger
    for name in ("gunicorn.access", "gunicorn.error"):
        logging.getLogger(name).handlers.clear()


def own_handler(log):
    """Give gunicorn's handler; the test's own may stand beside it."""
    return next(one for one in log.handlers if isinstance(one.formatter, MaskingFormatter))


def test_access_log_shows_neither_code_nor_query(logger, caplog):
    environ = {
        "REQUEST_METHOD": "GET",
        "RAW_URI": "/inicio/unirse/7K2M9QXA?code=secret",
        "PATH_INFO": "/inicio/unirse/7K2M9QXA",
        "QUERY_STRING": "code=secret",
        "SERVER_PROTOCOL": "HTTP/1.1",
    }
    response = SimpleNamespace(status="200 OK", sent=12, headers=[])

    logger.access(response, SimpleNamespace(headers=[]), environ, timedelta(milliseconds=5))

    line = own_handler(logger.access_log).format(caplog.records[0])
    assert '"GET /inicio/unirse/***" 200 12 bytes 5 ms' in line
    assert "secret" not in line


def test_a_server_that_ends_waits_for_whoever_tells_a_receiver_that_hangs(settings):
    asking = settings.WEBHOOK_TIMEOUT.total_seconds() + CONNECT_SECONDS

    assert SECONDS_OUT + asking < graceful_timeout


def test_a_quarter_of_the_threads_waits_for_no_provider(settings):
    assert threads >= settings.CALENDAR_WRITERS * 2
    assert threads * 3 >= (settings.CALENDAR_WRITERS + settings.MERCADOPAGO_CALLERS) * 4
