"""How often one address may do what costs something and needs no session."""

import logging
import time

from django.core.cache import cache
from django.http import HttpRequest

from accounts.addresses import client_address

logger = logging.getLogger(__name__)

WINDOW_SECONDS = 60
MAX_STARTS = 100


def has_started_too_often(request: HttpRequest) -> bool:
    """Count the start of a sign-in and say whether it is one too many for its address and minute.

    Every start by a stranger stores a session row; without a limit a loop could fill the table.
    The limit is far above what a class of students behind one address needs.
    """
    return is_too_often("sign-in-starts", client_address(request), limit=MAX_STARTS)


def is_too_often(what: str, who: str, *, limit: int) -> bool:
    """Count something that somebody does; say whether it happened too often in this minute.

    A cache that cannot count lets everybody through: better some rows too many than nobody served.
    """
    window = int(time.time()) // WINDOW_SECONDS
    key = f"{what}:{window}:{who}"
    try:
        cache.add(key, 0, timeout=2 * WINDOW_SECONDS)
        return cache.incr(key) > limit
    except Exception as error:  # noqa: BLE001  # each cache fails in its own way
        logger.warning("What happens too often is not counted: %s", type(error).__name__)
        return False
