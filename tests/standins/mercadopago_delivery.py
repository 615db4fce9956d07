"""Which notices go out, in which order, and how they are posted."""

import random
from collections.abc import Sequence
from http.client import HTTPConnection, HTTPException
from typing import Literal
from urllib.parse import urlsplit

from tests.standins.mercadopago_notices import Letter, Notice

Order = Literal["real", "reversed", "shuffled"] | Sequence[int]

# The real one waits 22 s for the first answer, and has been documented to wait 5 s for later ones.
ANSWER_SECONDS = 5.0
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


def choose(
    notices: Sequence[Notice], order: Order, *, duplicate: int, lose: int, seed: int
) -> list[Notice]:
    """Pick what is posted now; what gets lost is marked and left out.

    Without positions, every notice still pending is meant. The same seed picks the same.
    """
    chance = random.Random(seed)
    batch = _arrange(notices, order, chance)
    for position in sorted(chance.sample(range(len(batch)), min(lose, len(batch))), reverse=True):
        batch.pop(position).lost = True
    for _ in range(duplicate if batch else 0):
        batch.insert(chance.randint(0, len(batch)), chance.choice(batch))
    return batch


def post(letter: Letter) -> int | None:
    """Post a letter and give the answer's status; None without an answer.

    Nothing leaves this machine: an address elsewhere does not answer.
    """
    parts = urlsplit(letter.url)
    if parts.scheme != "http" or parts.hostname not in LOOPBACK:
        return None
    connection = HTTPConnection(parts.hostname, parts.port, timeout=ANSWER_SECONDS)
    try:
        target = f"{parts.path or '/'}?{parts.query}"
        connection.request("POST", target, letter.body, letter.headers)
        return connection.getresponse().status
    except (OSError, HTTPException):
        return None
    finally:
        connection.close()


def _arrange(notices: Sequence[Notice], order: Order, chance: random.Random) -> list[Notice]:
    if not isinstance(order, str):
        return [notices[position] for position in order]
    batch = [notice for notice in notices if notice.is_pending]
    if order == "reversed":
        batch.reverse()
    elif order == "shuffled":
        chance.shuffle(batch)
    return batch
