"""``scale``: the same people with the same few classes, among a thousand, and among a million.

Each size has a database of its own; the rounds go from one to the next, and what is written is
taken back. Goal P7.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from itertools import count
from statistics import median

from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils import timezone

from accounts.models import User
from bookings.domain.places.joining import join_class
from bookings.domain.queries import (
    get_class_by_preference,
    list_next_classes_of,
    list_past_classes_of,
    list_scheduled_between,
)
from bookings.models import ClassStatus, VirtualClass
from config.env import environment
from config.env.values import Values
from tests.bench.budgets import goal_of
from tests.bench.databases import copies_of_nothing
from tests.bench.filling import gather_statistics, id_of, id_sql, moment_sql
from tests.bench.options import Options
from tests.bench.results import Measure, Part
from tests.bench.scene import HOUR, PEOPLE, add_people, add_scheduled_classes, code_of
from tests.booking import book_class
from tests.drills.standins import Remote

SIZES, QUICK_SIZES = (1_000, 100_000, 1_000_000), (1_000, 20_000)
EACH = 50  # classes that one person has booked
AHEAD = 0.1  # of all classes
PAGE = 20
ROUNDS, QUICK_ROUNDS, CALLS = 7, 3, 15
MINUTE = timedelta(minutes=1)
# A million hours are more seconds than an integer of four bytes holds.
LONG_HOUR = f"CAST({HOUR} AS bigint)"

Work = Callable[[], object]


def run(options: Options, google: Remote) -> Part:
    """Fill, then measure in turn."""
    sizes = QUICK_SIZES if options.is_quick else SIZES
    took: dict[str, dict[int, list[float]]]
    with ExitStack() as stack:
        stores = {size: stack.enter_context(_store(options, size)) for size in sizes}
        works = {size: _operations_of(stores[size], size) for size in sizes}
        took = {name: {size: [] for size in sizes} for name in works[sizes[0]]}
        for number in range(QUICK_ROUNDS if options.is_quick else ROUNDS):
            order = sizes if number % 2 == 0 else sizes[::-1]
            for name, by_size in took.items():
                for size, seconds in _measure(stores, works, name, order).items():
                    by_size[size].append(seconds)
    measures = [
        _compare(options.engine, name, by_size, sizes[0], size)
        for size in sizes[1:]
        for name, by_size in took.items()
    ]
    raw = {
        name: {str(size): times for size, times in by_size.items()}
        for name, by_size in took.items()
    }
    return Part("scale", options.engine, measures, raw=raw)


def _compare(
    engine: str, name: str, by_size: dict[int, list[float]], small: int, large: int
) -> Measure:
    ratios = [many / few for few, many in zip(by_size[small], by_size[large], strict=True)]
    goal = goal_of("scale", name, engine) or goal_of("scale", "*", engine)
    beside = {"p50 ms, few": median(by_size[small]) * 1000, "many": median(by_size[large]) * 1000}
    return Measure(f"{name}, {large:,}", f"p50, x {small:,}", ratios, goal, beside=beside)


# --- Databases ------------------------------------------------------------------------------------


@contextmanager
def _store(options: Options, size: int) -> Iterator[BaseDatabaseWrapper]:
    """Copy the empty database, fill it, and give a connection to it."""
    with copies_of_nothing(options.engine, options.directory) as copies:
        connections["default"].close()
        copies.use(options.database)
        with copies.copy() as url:
            alias = f"size_{size}"
            connections.settings[alias] = {
                **connections.settings["default"],
                "NAME": environment.database(Values({"DATABASE_URL": url}))["NAME"],
            }
            store = connections.create_connection(alias)
            store.alias = "default"  # rows remember where they come from
            with _default(store):
                _fill(size)
            try:
                yield store
            finally:
                store.close()


@contextmanager
def _default(store: BaseDatabaseWrapper) -> Iterator[None]:
    """Let everything that asks for the database meet this one."""
    usual = connections["default"]
    connections["default"] = store
    try:
        yield
    finally:
        connections["default"] = usual


def _fill(size: int) -> None:
    """Store people and classes, a class an hour: nine in ten are over, the last ones are ahead."""
    people = size // EACH
    add_people(1, people)
    first = int(timezone.now().timestamp()) // HOUR * HOUR - int(size * (1 - AHEAD)) * HOUR
    add_scheduled_classes(
        1,
        size,
        booked_by_id=id_sql(PEOPLE, f"1 + n %% {people}"),
        start_time=moment_sql(f"{first} + n * {LONG_HOUR}"),
        end_time=moment_sql(f"{first} + n * {LONG_HOUR} + 3000"),
    )
    gather_statistics()


# --- Operations -----------------------------------------------------------------------------------


def _operations(size: int) -> dict[str, Work]:
    """List what is measured; a person's page holds as many rows in every size."""
    user = User.objects.get(pk=id_of(PEOPLE, 2))
    now = timezone.now()
    joinable = code_of(size - EACH // 10)  # ahead, and somebody else's
    classes = VirtualClass.objects
    scheduled = classes.filter(status=ClassStatus.SCHEDULED)
    middle = now + timedelta(hours=size * AHEAD / 2)
    numbers = count()
    return {
        "list, first page": lambda: list(
            classes.filter(status="scheduled", start_time__gte=now)[:PAGE]
        ),
        "list, middle by key": lambda: list(scheduled.filter(start_time__gt=middle)[:PAGE]),
        "agenda of a week": lambda: list(list_scheduled_between(now, now + timedelta(days=3))),
        "my next classes": lambda: list(list_next_classes_of(user)[:PAGE]),
        "my past classes": lambda: list(list_past_classes_of(user)[:PAGE]),
        "class by code": lambda: classes.get(access_code=joinable),
        "class by preference": lambda: get_class_by_preference(f"bench-{size // 2:08d}"),
        "join": _taken_back(lambda: join_class(user=user, access_code=joinable)),
        "booking": _taken_back(lambda: _book(user, next(numbers))),
    }


def _book(user: User, number: int) -> None:
    start = timezone.now() + MINUTE
    book_class(
        user=user,
        start=start,
        end=start + 50 * MINUTE,
        is_group_class=False,
        students_count=1,
        price=1_500_000,
        preference_id=f"scale-{number}",
    )


def _taken_back(work: Work) -> Work:
    def do() -> None:
        with transaction.atomic():
            work()
            transaction.set_rollback(True)

    return do


def _measure(
    stores: dict[int, BaseDatabaseWrapper],
    works: dict[int, dict[str, Work]],
    name: str,
    order: Sequence[int],
) -> dict[int, float]:
    """Give the seconds of the median call of each size; the calls take turns."""
    times: dict[int, list[float]] = {size: [] for size in order}
    for _ in range(CALLS + 1):
        for size in order:
            with _default(stores[size]):
                began = time.perf_counter()
                works[size][name]()
                times[size].append(time.perf_counter() - began)
    # What is read for the first time comes from the disk.
    return {size: median(those[1:]) for size, those in times.items()}


def _operations_of(store: BaseDatabaseWrapper, size: int) -> dict[str, Work]:
    with _default(store):
        return _operations(size)
