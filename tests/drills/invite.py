"""``drill invite``: a crowd joins one class, and its event invites all of them in a few patches."""

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from unittest.mock import patch

from django.conf import settings
from django.db import OperationalError, connection

from accounts.models import User
from bookings.domain.calendar import guests as guest_lists
from bookings.domain.places.joining import join_class
from bookings.models import VirtualClass
from bookings.notices import delivery
from tests.drills.processes import Prepare, Say, ServiceProcess, require
from tests.drills.protections import Twin, read_guests_before_claim
from tests.drills.report import Result
from tests.drills.scene import Scene
from tests.drills.size import Size
from tests.drills.world import SQLITE, World

PEOPLE = 200
# Sixteen at once, and eight on SQLite, whose writers take turns.
PROCESSES, SQLITE_PROCESSES, THREADS = 8, 4, 2
# People who join once the first list was read.
LATE = 3
MOST_PATCHES = 3
WAIT_SECONDS = 60
TRIES = 5
TWINS = (Twin("reading after the claim", read_guests_before_claim),)


def drill(world: World, size: Size, twin: Twin | None = None) -> Result:
    """Let people join in parallel, and a few more later; then compare the event with the rows."""
    result = Result("invite", world.engine, twin=twin.name if twin else "")
    people = min(size.people, PEOPLE)
    settings.MAX_STUDENTS = people + 1
    scene = Scene(world)
    virtual_class = scene.open_class(people + 1)
    guests = [scene.sign_up(f"guest{number}").user for number in range(people)]
    code, flag = virtual_class.access_code or "", world.directory / "guests-read"
    flag.unlink(missing_ok=True)
    prepare: list[Prepare] = [partial(_write_at_once, flag), *([twin.leave_out] if twin else [])]
    count = SQLITE_PROCESSES if world.engine == SQLITE else PROCESSES
    shares = [guests[LATE:][number::count] for number in range(count)]
    processes = [ServiceProcess(_join(code, share), *prepare) for share in shares]
    processes.append(ServiceProcess(_join_late(code, guests[:LATE], people, flag), *prepare))
    for process in processes:
        require(process.wait())
    patches = [one for one in world.google.requests() if one.route == "events.patch"]
    [event] = world.google.live_events()
    invited = sorted(one["email"] for one in event.get("attendees", []))
    rows = sorted(virtual_class.activities.values_list("user__email", flat=True))
    result.figures = {
        "people with a place": len(rows),
        "people whom the event invites": len(invited),
        "patches": len(patches),
    }
    if len(rows) != people + 1:
        result.broken.append(f"{len(rows)} people have a place, not {people + 1}")
    if invited != rows:
        result.broken.append(f"the event invites {len(invited)} of {len(rows)} people")
    if len(patches) > MOST_PATCHES:
        result.broken.append(f"{len(patches)} patches")
    return result


def _join(code: str, guests: list[User]) -> Callable[[Say], None]:
    def join_one(guest: User) -> None:
        """Join, again if a busy machine kept the class's lock for too long."""
        try:
            for _ in range(TRIES):
                with suppress(OperationalError):
                    join_class(user=guest, access_code=code)
                    return
        finally:
            connection.close()

    def join(say: Say) -> None:
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(join_one, guests))

    return join


def _join_late(code: str, guests: list[User], people: int, flag: Path) -> Callable[[Say], None]:
    """Join once the list of the others was written, or read for that."""

    def join(say: Say) -> None:
        end = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < end:
            virtual_class = VirtualClass.objects.get(access_code=code)
            is_written = virtual_class.guests_changed_at is None
            everybody_came = virtual_class.current_participants == people + 1 - LATE
            if everybody_came and (is_written or flag.exists()):
                break
            time.sleep(0.05)
        _join(code, guests)(say)

    return join


def _write_at_once(flag: Path) -> None:
    os.environ["DRILL_FLAG"] = str(flag)
    vars(guest_lists._job).pop("call")
    patch.object(delivery._delivery, "call").start()
