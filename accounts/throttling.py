"""How often one address may start a sign-in."""

import logging
import time

from django.core.cache import cache
from django.http import HttpRequest

from accounts.addresses import client_address

logger = logging.getLogger(__name__)

WINDOW_SECONDS = 60
MAX_STARTS = 100


def has_started_too_often(request: HttpRequest) -> bool:
    """Count a start and say whether it is one too many for this address and minute.

    Every start by a stranger stores a session row; without a limit a loop could fill the table.
    The limit is far above what a class of students behind one address needs. A cache that cannot
    count lets everybody through: better some rows too many than nobody signed in.
    """
    window = int(time.time()) // WINDOW_SECONDS
    key = f"sign-in-starts:{window}:{client_address(request)}"
    try:
        cache.add(key, 0, timeout=2 * WINDOW_SECONDS)
        return cache.incr(key) > MAX_STARTS
    except Exception as error:  # noqa: BLE001  # each cache fails in its own way
        logger.warning("Sign-in starts are not counted: %s", type(error).__name__)
        return False
