"""``drill guess``: one person types thousands of wrong access codes, then a right one."""

import secrets
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import requests
from django.conf import settings
from django.utils import timezone

from bookings.domain.places.access_codes import ALPHABET
from bookings.domain.places.code_limits import WINDOW
from tests.drills.protections import Twin, count_no_wrong_codes
from tests.drills.report import Result, milliseconds, percentile
from tests.drills.scene import ANSWER_SECONDS, Person, Scene
from tests.drills.size import Size
from tests.drills.world import World
from tests.processes import web_server

PLACES = 5
CLIENTS = 8
THREADS = 8
LOOKED_AT, REFUSED = 404, 429
DAY_SECONDS = 86_400
TWINS = (Twin("the count", count_no_wrong_codes),)


def drill(world: World, size: Size, twin: Twin | None = None) -> Result:
    """Guess over HTTP, at a real server, as fast as it answers."""
    result = Result("guess", world.engine, twin=twin.name if twin else "")
    scene = Scene(world)
    code = scene.open_class(PLACES).access_code or ""
    guesser, friend = scene.sign_up("guesser"), scene.sign_up("friend")
    left_out = twin.leave_out.__name__ if twin else ""
    with web_server(
        world.directory,
        threads=THREADS,
        application="tests.drills.wsgi",
        BASE_URL=world.url,
        DRILL_LEAVES_OUT=left_out,
    ) as server:
        guesser.base = friend.base = server.url
        friend.await_server()
        first = _window()
        started = time.monotonic()
        answers = _guess(guesser, size.guesses, code)
        seconds = time.monotonic() - started
        windows = _window() - first + 1
        with_right_code, _ = guesser.post("/api/access-code", code)
        of_friend, _ = friend.post("/api/access-code", code)
    kinds = Counter(status for status, _ in answers)
    most = settings.MAX_WRONG_CODES * windows
    result.figures = {
        "wrong codes tried": size.guesses,
        "looked at (404)": kinds[LOOKED_AT],
        "refused unseen (429)": kinds[REFUSED],
        "other answers": size.guesses - kinds[LOOKED_AT] - kinds[REFUSED],
        "limit, and windows of ten minutes it took": f"{settings.MAX_WRONG_CODES}, {windows}",
        "the right code afterwards": with_right_code,
        "somebody else with the right code": of_friend,
        "guesses a second": int(size.guesses / seconds),
        "p50": milliseconds(percentile([wait for _, wait in answers], 0.5)),
        "p99": milliseconds(percentile([wait for _, wait in answers], 0.99)),
        "one person's codes a day, of all there are": _odds(),
    }
    if kinds[LOOKED_AT] > most:
        result.broken.append(f"{kinds[LOOKED_AT]} codes were looked at, not {most} at most")
    if with_right_code != REFUSED:
        result.broken.append(f"the right code was answered {with_right_code} afterwards")
    if of_friend != 200:
        result.broken.append(f"somebody else was answered {of_friend}")
    if set(kinds) - {LOOKED_AT, REFUSED}:
        result.broken.append(f"answers: {dict(kinds)}")
    return result


def _guess(guesser: Person, number: int, code: str) -> list[tuple[int, float]]:
    """Try so many wrong codes, over a few connections at once."""
    wrong = [_make_wrong_code(code) for _ in range(number)]

    def work(codes: list[str]) -> list[tuple[int, float]]:
        with requests.Session() as session:
            session.cookies.set(settings.SESSION_COOKIE_NAME, guesser.session)
            return [_try(session, guesser.base, one) for one in codes]

    with ThreadPoolExecutor(CLIENTS) as pool:
        parts = pool.map(work, [wrong[start::CLIENTS] for start in range(CLIENTS)])
        return [answer for part in parts for answer in part]


def _try(session: Any, base: str, code: str) -> tuple[int, float]:
    started = time.perf_counter()
    answer = session.post(f"{base}/api/access-code", json=code, timeout=ANSWER_SECONDS)
    return answer.status_code, time.perf_counter() - started


def _make_wrong_code(code: str) -> str:
    while True:
        guess = "".join(secrets.choice(ALPHABET) for _ in range(len(code)))
        if guess != code:
            return guess


def _window() -> int:
    return int(timezone.now().timestamp() // WINDOW.total_seconds())


def _odds() -> str:
    tries = int(settings.MAX_WRONG_CODES * DAY_SECONDS / WINDOW.total_seconds())
    return f"{tries} of {len(ALPHABET) ** 8:.1e}"
