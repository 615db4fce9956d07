"""``drill restart``: PostgreSQL is restarted, gently and by a crash, while people book."""

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import requests
from django.db import connections
from django.utils import timezone

from bookings.models import VirtualClass
from tests.drills.report import Result
from tests.drills.scene import HOUR, Person, Scene
from tests.drills.world import Size, World
from tests.postgres import PrivateServer
from tests.processes import web_server

CLIENTS, WORKERS, THREADS = 6, 2, 4
# Load before, between and after restarts.
CALM_SECONDS = 1.5
# The service answers again by then, without being restarted itself.
RECOVERY_SECONDS = 20
MODES = ("fast", "immediate")


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of one booking. began, ended: by the monotonic clock. status: 0 for none."""

    preference_id: str
    status: int
    began: float
    ended: float

    @property
    def is_confirmed(self) -> bool:
        return self.status == 200


class Load:
    """People who book as fast as they are answered, and remember each answer."""

    def __init__(self, people: list[Person]) -> None:
        self.answers: list[Answer] = []
        self._is_over = threading.Event()
        self._threads = [
            threading.Thread(target=self._book, args=(number, person))
            for number, person in enumerate(people)
        ]

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        for thread in self._threads:
            thread.join()

    @property
    def confirmed(self) -> set[str]:
        """The preferences whose booking was answered by 200."""
        return {one.preference_id for one in self.answers if one.is_confirmed}

    def count_failures(self, since: float = 0.0) -> int:
        """Say how many bookings that began after a moment were not confirmed."""
        return sum(one.began > since and not one.is_confirmed for one in list(self.answers))

    def find_success(self, since: float) -> float | None:
        """Give when the first booking was confirmed after a moment."""
        successes = (one.ended for one in list(self.answers) if one.is_confirmed)
        return min((ended for ended in successes if ended > since), default=None)

    def _book(self, number: int, person: Person) -> None:
        start = timezone.now().replace(minute=0, second=0, microsecond=0) + timedelta(days=4)
        turn = 0
        while not self._is_over.is_set():
            turn += 1
            preference_id = f"drill-{number}-{turn}"
            began = time.monotonic()
            body = {
                "start": start.isoformat(),
                "end": (start + HOUR).isoformat(),
                "isGroupClass": False,
                "studentsCount": 1,
                "price": 1_500_000,
                "preferenceId": preference_id,
            }
            try:
                status, _ = person.post("/api/booking", body)
            except (requests.RequestException, ValueError):
                status = 0
            self.answers.append(Answer(preference_id, status, began, time.monotonic()))


def drill(world: World, size: Size) -> Result:
    """Restart the database under load, so many times."""
    result = Result("restart", world.engine)
    if world.server is None:
        return result  # nothing to restart
    scene = Scene(world)
    people = [scene.sign_up(f"client{number}") for number in range(CLIENTS)]
    with web_server(
        world.directory,
        threads=THREADS,
        workers=WORKERS,
        BASE_URL=world.url,
    ) as server:
        for person in people:
            person.base = server.url
        people[0].await_server()
        connections.close_all()
        with Load(people) as load:
            time.sleep(CALM_SECONDS)
            before = _find_children(server.pid)  # all are there by now, not only who answers first
            for number in range(size.restarts):
                _restart(world.server, MODES[number % len(MODES)], load, number, result)
                time.sleep(CALM_SECONDS)
        after = _find_children(server.pid)
    _judge(load, result)
    if before != after:
        result.broken.append(f"the service's processes {before} became {after}")
    return result


def _restart(server: PrivateServer, mode: str, load: Load, number: int, result: Result) -> None:
    began = time.monotonic()
    server.restart(mode)
    returned = time.monotonic()
    recovered = _wait_for(lambda: load.find_success(since=returned))
    time.sleep(CALM_SECONDS)
    all_failures, late = load.count_failures(since=began), load.count_failures(since=returned)
    result.rows[f"{number + 1}: {mode}"] = {
        "s away": round(returned - began, 2),
        "s to the first booking": round(recovered - returned, 2) if recovered else "never",
        "failed while away": all_failures - late,
        "failed afterwards": late,
        "confirmed so far": len(load.confirmed),
    }
    if recovered is None:
        result.broken.append(f"{mode} restart: no booking for {RECOVERY_SECONDS} s")
    if late:
        result.broken.append(f"{mode} restart: {late} bookings failed that began after it")


def _judge(load: Load, result: Result) -> None:
    stored = set(VirtualClass.objects.values_list("preference_id", flat=True))
    lost = load.confirmed - stored
    result.broken += [f"confirmed and lost: {one}" for one in sorted(lost)]


def _wait_for(look: Callable[[], Any]) -> Any:
    end = time.monotonic() + RECOVERY_SECONDS
    while time.monotonic() < end:
        found = look()
        if found is not None:
            return found
        time.sleep(0.02)
    return None


def _find_children(pid: int) -> list[int]:
    """List the processes that a process has started."""
    tasks = f"/proc/{pid}/task/{pid}/children"
    if not os.path.exists(tasks):  # not on this system
        return []
    with open(tasks) as file:
        return sorted(map(int, file.read().split()))
