"""One line for each request: what was asked, what came of it, how long it took, and of whom.

Better than a line of gunicorn's, which does not know the person and prints paths: access codes
stand in those, so the line names the route. It is written by hand, past ``logging``, for it is on
the way of every request: a record, its handlers and Python's JSON would take four times as long.
"""

import json
import sys
import time
from functools import lru_cache

from django.conf import settings


def write_line(
    method: str, route: str, status: int, seconds: float, *, request_id: object, user_id: object
) -> None:
    """Write the line to where the log goes.

    method, route and status are words of ours, never the sender's; the id is without quotes.
    """
    now = time.time()
    user = f'"{user_id}"' if user_id else "null"
    if settings.LOG_FORMAT == "json":
        line = (
            f'{{"time": "{_second(int(now))}.{int(now % 1 * 1000):03d}+00:00", "level": "INFO", '
            f'"logger": "access", "request_id": "{request_id}", "message": "request", '
            f'{_what(method, route, status)}, "ms": {seconds * 1000:.1f}, '
            f'"user_id": {user}}}\n'
        )
    else:
        clock = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(now))
        line = f"{clock} {method} /{route} {status} {seconds * 1000:.0f} ms [{request_id}]\n"
    # One call for one line, so that those of several threads do not mix.
    sys.stderr.write(line)


@lru_cache(maxsize=2)
def _second(now: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now))


@lru_cache(maxsize=2048)
def _what(method: str, route: str, status: int) -> str:
    """What a line says of every request of its kind."""
    return f'"method": "{method}", "route": {json.dumps(route)}, "status": {status}'
