"""What is measured: the operations people wait for, as requests."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count, cycle, islice

from tests.bench.clients import Request
from tests.bench.scene import (
    PLACES,
    add_people,
    add_scheduled_classes,
    booking_body,
    code_of,
    sign_in,
)

JSON_TYPE = {"Content-Type": "application/json"}
# Of one person, far below the limit: the server's own rounds and their repetitions come on top.
BOOKINGS_EACH = 100
FULL_CLASS = 1
FIRST_HOT_CLASS = 1_000
CLASSES_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Operation:
    """One kind of request.

    take: gives requests, as many as are wanted where each may be sent only once; else those there
    are, to be sent in turn. expected: the only right status.
    """

    name: str
    take: Callable[[int], list[Request]]
    expected: int = 200


FLOOR = Operation("floor", lambda number: [Request("GET", "/")])


class Crowd:
    """People who are signed in, numbered from 1; more come when they are needed."""

    def __init__(self) -> None:
        self.cookies: list[str] = []

    def grow_to(self, number: int) -> list[str]:
        """Have at least so many; give the ``Cookie`` headers of the first ones."""
        have = len(self.cookies)
        if number > have:
            add_people(have + 1, number)
            self.cookies += sign_in(range(have + 1, number + 1))
        return self.cookies[:number]


def list_operations(etag: str) -> list[Operation]:
    """Prepare the scene, and list the operations. etag: of the calendar; empty when it has none."""
    crowd = Crowd()
    crowd.grow_to(PLACES)
    add_scheduled_classes(FULL_CLASS, FULL_CLASS, full=True)
    readers = cycle(crowd.cookies[1:])

    def read(path: str, **headers: str) -> Callable[[int], list[Request]]:
        return lambda number: [Request("GET", path, "", headers)]

    def read_own(path: str) -> Callable[[int], list[Request]]:
        return lambda number: [
            Request("GET", path, "", {"Cookie": cookie})
            for cookie in islice(readers, min(number, 29))
        ]

    operations = [
        Operation("calendar", read("/api/calendar")),
        Operation("session", read_own("/api/auth/session")),
        Operation("inicio", read("/inicio")),
        Operation("user-data", read_own("/api/user-data")),
        Operation("booking", _bookings(crowd)),
        Operation("join", _joins(crowd)),
        Operation("join, refused", _refused(crowd), 409),
    ]
    if etag:
        unchanged = read("/api/calendar", **{"If-None-Match": etag})
        operations.insert(1, Operation("calendar, 304", unchanged, 304))
    return operations


def _bookings(crowd: Crowd) -> Callable[[int], list[Request]]:
    numbers = count()

    def take(number: int) -> list[Request]:
        wanted = list(islice(numbers, number))
        cookies = crowd.grow_to(PLACES + wanted[-1] // BOOKINGS_EACH + 1)
        return [
            post("/api/booking", booking_body(one), cookies[PLACES + one // BOOKINGS_EACH])
            for one in wanted
        ]

    return take


def _joins(crowd: Crowd) -> Callable[[int], list[Request]]:
    """Fill one class after the other, each by everybody but its host: it stays hot."""
    pairs = _fresh_places()

    def take(number: int) -> list[Request]:
        return [
            post("/api/access-code", code_of(class_number), crowd.cookies[guest])
            for class_number, guest in islice(pairs, number)
        ]

    return take


def _fresh_places() -> Iterator[tuple[int, int]]:
    for first in count(FIRST_HOT_CLASS, CLASSES_AT_ONCE):
        add_scheduled_classes(first, first + CLASSES_AT_ONCE - 1)
        for class_number in range(first, first + CLASSES_AT_ONCE):
            yield from ((class_number, guest) for guest in range(1, PLACES))


def _refused(crowd: Crowd) -> Callable[[int], list[Request]]:
    body = code_of(FULL_CLASS)
    return lambda number: [post("/api/access-code", body, cookie) for cookie in crowd.cookies[1:30]]


def post(path: str, body: object, cookie: str) -> Request:
    """Make a request with a JSON body of somebody who is signed in."""
    return Request("POST", path, json.dumps(body), {**JSON_TYPE, "Cookie": cookie})
