"""``race``: a hundred people want the thirty free places of one class in the same instant.

Afterwards the database has the last word: nobody too many, and counter, list and rows agree. The
same without the lock must fail, or the race proves nothing. Goals P2 and P5.
"""

from dataclasses import asdict
from typing import Any

from bookings.models import Role, UserActivity, VirtualClass
from tests.bench.budgets import goal_of
from tests.bench.burst import Burst, burst
from tests.bench.clients import Request
from tests.bench.filling import id_of
from tests.bench.http import servers
from tests.bench.operations import FLOOR, Crowd, post
from tests.bench.options import Options
from tests.bench.results import Measure, Part
from tests.bench.scene import CLASSES, add_scheduled_classes, code_of
from tests.bench.service import Server, running_service
from tests.drills.standins import Remote

PEOPLE, FREE, SAME = 100, 30, 50
BURSTS, QUICK_BURSTS, CONTROLS = 20, 3, 3
FIRST_CLASS = 80_000_000


def run(options: Options, google: Remote) -> Part:
    """Race as often as was agreed, each time beside the same burst on the floor."""
    crowd = Crowd()
    crowd.grow_to(PEOPLE + 1)
    number = QUICK_BURSTS if options.is_quick else BURSTS
    add_scheduled_classes(FIRST_CLASS, FIRST_CLASS + 2 * number + CONTROLS, places=FREE + 1)
    classes = iter(range(FIRST_CLASS, FIRST_CLASS + 2 * number + CONTROLS))
    with servers(options) as (floor, service):
        _join_all(service, crowd, next(classes))  # not counted: it opens the connections
        burst(floor.url, FLOOR.take(1) * PEOPLE)
        floors, races, same = [], [], []
        for _ in range(number):
            floors.append(burst(floor.url, FLOOR.take(1) * PEOPLE))
            races.append(_join_all(service, crowd, next(classes)))
        for _ in range(number // 2):
            same.append(_join_as_one(service, crowd, next(classes)))
    with running_service(application="tests.bench.unlocked:application") as unlocked:
        controls = [_join_all(unlocked, crowd, next(classes)) for _ in range(CONTROLS)]
    return _conclude(options.engine, floors, races, same, controls)


class Race:
    """A burst of joins, and what the database holds afterwards."""

    def __init__(self, joined: Burst, class_number: int) -> None:
        self.burst = joined
        virtual_class = VirtualClass.objects.get(pk=id_of(CLASSES, class_number))
        guests = UserActivity.objects.filter(virtual_class=virtual_class, rol=Role.PARTICIPANT)
        self.guests = guests.count()
        counted = (virtual_class.current_participants, len(virtual_class.participants_ids))
        self.is_consistent = counted == (self.guests + 1, self.guests + 1)

    @property
    def is_right(self) -> bool:
        """Whether everybody got the one answer there is."""
        expected = {200: FREE, 409: PEOPLE - FREE}
        return self.burst.statuses == expected and self.is_consistent and self.guests == FREE

    def to_json(self) -> dict[str, Any]:
        """Give it for the record."""
        return {**asdict(self.burst), "guests": self.guests, "is_consistent": self.is_consistent}


def _join_all(server: Server, crowd: Crowd, class_number: int) -> Race:
    joins = _joins(crowd.cookies[1 : PEOPLE + 1], class_number)
    return Race(burst(server.url, joins), class_number)


def _join_as_one(server: Server, crowd: Crowd, class_number: int) -> Race:
    return Race(burst(server.url, _joins([crowd.cookies[1]] * SAME, class_number)), class_number)


def _joins(cookies: list[str], class_number: int) -> list[Request]:
    return [post("/api/access-code", code_of(class_number), cookie) for cookie in cookies]


def _conclude(
    engine: str, floors: list[Burst], races: list[Race], same: list[Race], controls: list[Race]
) -> Part:
    drains = [race.burst.drained / floor.drained for race, floor in zip(races, floors, strict=True)]
    tails = [race.burst.percentile(0.99) / race.burst.percentile(0.5) for race in races]
    wrong = sum(not race.is_right for race in races)
    doubled = sum(race.guests != 1 or not race.is_consistent for race in same)
    # PostgreSQL sells too many; SQLite notices that what was read is old, and fails the request.
    caught = sum(not race.is_right for race in controls)
    of = {"bursts": len(races)}
    measures = [
        Measure(f"{PEOPLE} join {FREE} places", "bursts that went wrong", [wrong], 0, beside=of),
        Measure(f"one person joins {SAME} times", "bursts that went wrong", [doubled], 0),
        Measure("the same without the lock", "bursts caught", [caught], 1, "at least"),
        Measure("drain", "x the floor's", drains, goal_of("race", "drain", engine)),
        Measure("p99 of the burst", "x its p50", tails, goal_of("race", "tail", engine)),
    ]
    raw = {
        "races": [race.to_json() for race in races],
        "controls": [race.to_json() for race in controls],
        "floors": [asdict(one) for one in floors],
    }
    return Part("race", engine, measures, raw=raw)
