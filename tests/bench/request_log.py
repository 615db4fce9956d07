"""``python -m tests.bench.request_log``: what a request's log line and timing cost.

The same bare view without middleware, with id and figures, and with the line of the log too;
figures in files that processes share, as in production, lines to a file. Batches take turns, and
the quickest of each counts: what else the machine does only adds.
"""

import io
import os
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

BATCHES, CALLS = 150, 200
ENVIRON = {
    "REQUEST_METHOD": "GET",
    "PATH_INFO": "/floor",
    "SERVER_NAME": "127.0.0.1",
    "SERVER_PORT": "80",
    "SERVER_PROTOCOL": "HTTP/1.1",
    "wsgi.url_scheme": "http",
}


def main() -> None:
    """Measure, and print microseconds of CPU a request."""
    with tempfile.TemporaryDirectory() as directory, open(os.devnull, "w", buffering=1) as nowhere:
        os.environ.update(
            ENV_FILE="",
            DEBUG="true",
            LOG_FORMAT="json",
            PROMETHEUS_MULTIPROC_DIR=directory,
            DJANGO_SETTINGS_MODULE="config.settings",
        )
        import django

        django.setup()
        usual, sys.stderr = sys.stderr, nowhere
        try:
            best = _measure()
        finally:
            sys.stderr = usual
    floor = best["bare view"]
    for name, seconds in best.items():
        print(f"{name:24} {seconds * 1e6:6.1f} µs  {(seconds / floor - 1) * 100:+5.1f} %")


def _measure() -> dict[str, float]:
    """Give the seconds a call took in the quickest batch of each."""
    from tests.bench.floor_in_process import floor_handler

    bare = floor_handler()
    kinds = {
        "bare view": bare,
        "with id and figures": _observed(has_line=False),
        "with the line as well": _observed(has_line=True),
    }
    best = dict.fromkeys(kinds, float("inf"))
    for _ in range(BATCHES):
        for name, handler in kinds.items():
            best[name] = min(best[name], _time(handler))
    return best


def _observed(*, has_line: bool) -> Any:
    from django.core.handlers.wsgi import WSGIHandler
    from django.test import override_settings

    from tests.bench.floor_in_process import FloorRequest

    middleware = "config.monitoring.request_log.RequestLogMiddleware"
    with override_settings(MIDDLEWARE=[middleware], ACCESS_LOG=has_line):
        handler = WSGIHandler()
    handler.request_class = FloorRequest
    return handler


def _time(handler: Callable[..., Any]) -> float:
    began = time.thread_time()
    for _ in range(CALLS):
        answer = handler({**ENVIRON, "wsgi.input": io.BytesIO()}, lambda *_: None)
        b"".join(answer)
        answer.close()
    return (time.thread_time() - began) / CALLS


if __name__ == "__main__":
    main()
