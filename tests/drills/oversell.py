"""``drill oversell``: a crowd of processes wants the places of one class in the same instant."""

import multiprocessing
import os
import time
from collections import Counter
from unittest.mock import patch

from django.db import connection

from bookings.domain.exceptions import ClassFullError
from bookings.domain.places.joining import join_class
from bookings.models import Role, UserActivity
from bookings.notices import delivery
from tests.drills.evidence import Promises, look_outside, read_rows
from tests.drills.processes import Outcome, Prepare, Say, ServiceProcess
from tests.drills.protections import Twin, join_without_lock
from tests.drills.referee import count, judge
from tests.drills.report import Result, Row, milliseconds, percentile
from tests.drills.scene import Scene
from tests.drills.size import Size
from tests.drills.world import POSTGRESQL, SQLITE, World

CAPACITY = 50
# As many requests at once as the shipped server takes on PostgreSQL, two processes of sixteen
# threads, and fewer on SQLite, whose writers stand in one line; the others wait for their turn, as
# they would there. With hundreds inside, waiting for the lock would take longer than it may.
AT_ONCE = {POSTGRESQL: 32, SQLITE: 8}
# Connections that a server keeps for others.
SPARE = 15
TWINS = (Twin("the lock", join_without_lock),)


def drill(world: World, size: Size, twin: Twin | None = None) -> Result:
    """Let ``size.people`` processes join one class, a few times."""
    result = Result("oversell", world.engine, twin=twin.name if twin else "")
    left_out = (twin.leave_out,) if twin else ()
    for number in range(size.races):
        _race(world, size.people, number + 1, result, *left_out)
    return result


def _race(world: World, people: int, number: int, result: Result, *left_out: Prepare) -> None:
    scene = Scene(world)
    capacity = min(CAPACITY, people // 2)
    virtual_class = scene.open_class(capacity)
    started = time.monotonic()
    outcomes = _rush(scene, virtual_class.access_code or "", people, *left_out)
    seconds = time.monotonic() - started
    answers = [answer for outcome in outcomes for answer in outcome.said]
    kinds = Counter(kind for kind, _ in answers)
    scene.sweep()
    virtual_class.refresh_from_db()
    guests = UserActivity.objects.filter(rol=Role.PARTICIPANT).count()
    places = capacity - 1
    waits = [duration for _, duration in answers]
    violations = judge(
        read_rows(),
        look_outside(world.google, world.mercadopago, world.mails),
        Promises(),
        now=scene.now,
    )
    found = count(violations)
    result.rows.append(
        Row(
            f"race {number}",
            {
                "processes": people,
                "places": capacity,
                "joined": kinds["joined"],
                "full": kinds["full"],
                "errors": people - kinds["joined"] - kinds["full"],
                "guests in rows": guests,
                "counter": virtual_class.current_participants,
                "p50": milliseconds(percentile(waits, 0.5)),
                "p99": milliseconds(percentile(waits, 0.99)),
                "time": f"{seconds:.1f} s",
            },
        )
    )
    wanted = {"joined": places, "full": people - places}
    if kinds != Counter(wanted):
        result.broken.append(f"race {number}: {dict(kinds)} instead of {wanted}")
    if guests != places or virtual_class.current_participants != guests + 1:
        counted = virtual_class.current_participants
        result.broken.append(f"race {number}: {guests} guests in rows, {counted} people counted")
    if found:
        result.broken.append(f"race {number}: the referee found {dict(found)}")


def _rush(scene: Scene, code: str, people: int, *left_out: Prepare) -> list[Outcome]:
    """Start a process for each guest, release them together, and wait for all."""
    guests = [scene.sign_up(f"guest{number}").user for number in range(people)]
    seats = multiprocessing.get_context("fork").Semaphore(_count_connections())
    gate, barrier = os.pipe()

    def work_of(number: int) -> ServiceProcess:
        def join(say: Say) -> None:
            os.close(barrier)
            os.read(gate, 1)  # nothing ever comes: it ends when the drill opens the gate
            with seats:
                started = time.perf_counter()
                try:
                    join_class(user=guests[number], access_code=code)
                    kind = "joined"
                except ClassFullError:
                    kind = "full"
                except Exception as error:  # noqa: BLE001 - counted: no such thing may happen
                    kind = type(error).__name__
                say((kind, time.perf_counter() - started))
                connection.close()

        return ServiceProcess(join, _leave_mails, *left_out)

    processes = [work_of(number) for number in range(people)]
    os.close(gate)
    os.close(barrier)
    return [process.wait() for process in processes]


def _leave_mails() -> None:
    """Leave the mails to a sweep: each of these processes would start sending all of them."""
    patch.object(delivery._delivery, "call").start()


def _count_connections() -> int:
    """Say how many processes may be connected at once."""
    if connection.vendor != POSTGRESQL:
        return AT_ONCE[SQLITE]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('max_connections')::int - count(*) FROM pg_stat_activity"
        )
        [free] = cursor.fetchone()
    return max(min(int(free) - SPARE, AT_ONCE[POSTGRESQL]), 1)
