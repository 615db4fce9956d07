"""``peers``: what others ask for the same, side by side with ours in the same rounds. Goal P11.

It needs the package index; without it there is nothing to compare, and that is said.
"""

import subprocess
from itertools import count, islice
from statistics import median

from tests.bench.budgets import goal_of
from tests.bench.clients import Request, fetch
from tests.bench.databases import copies_of_nothing
from tests.bench.http import QUICK_SECONDS, SECONDS, Round, Target
from tests.bench.operations import Operation, list_operations
from tests.bench.options import Options
from tests.bench.peer_project import book, install, list_slots, running_peer
from tests.bench.results import Measure, Part
from tests.bench.service import Server, running_service
from tests.drills.standins import Remote

NAME = "django-appointment"


def run(options: Options, google: Remote) -> Part:
    """Install the peer, and load both."""
    try:
        python = install(options.directory / "peer-environment")
    except subprocess.CalledProcessError:
        return Part("peers", options.engine, [], [f"skipped: pip could not install {NAME}"])
    with (
        copies_of_nothing(options.engine, options.directory) as copies,
        copies.copy() as database,
        running_peer(python, options.directory / "peer-project", database) as peer,
        running_service() as ours,
    ):
        pairs = _pairs(ours, peer)
        targets = [target for pair in pairs.values() for target in pair]
        for target in targets:
            target.measure(1)
        for number in range(options.rounds):
            for target in targets if number % 2 == 0 else targets[::-1]:
                seconds = QUICK_SECONDS if options.is_quick else SECONDS
                target.rounds.append(target.measure(seconds))
    measures, notes = [], []
    for name, (mine, theirs) in pairs.items():
        notes += [f"{name}: a round was refused: {one}" for one in mine.wrong + theirs.wrong]
        kept = [
            (one, other)
            for one, other in zip(mine.rounds, theirs.rounds, strict=True)
            if one and other
        ]
        if kept:
            measures.append(_compare(options.engine, name, kept))
    return Part("peers", options.engine, measures, notes)


def _pairs(ours: Server, peer: Server) -> dict[str, tuple[Target, Target]]:
    fetch(ours.url, Request("GET", "/api/calendar"))
    mine = {one.name: one for one in list_operations("")}
    numbers = count()
    slots = Operation("slots", lambda number: [list_slots()])
    booking = Operation(
        "booking", lambda number: [book(one) for one in islice(numbers, number)], 302
    )
    return {
        "occupied slots": (Target(mine["calendar"], ours), Target(slots, peer)),
        "booking": (Target(mine["booking"], ours), Target(booking, peer)),
    }


def _compare(engine: str, name: str, kept: list[tuple[Round, Round]]) -> Measure:
    ratios = [
        (theirs.cpu + theirs.database_cpu) / (mine.cpu + mine.database_cpu) for mine, theirs in kept
    ]
    beside = {
        "p50 ms, ours": median(mine.load.p50_ms for mine, _ in kept),
        f"p50 ms, {NAME}": median(theirs.load.p50_ms for _, theirs in kept),
        "requests/s, x theirs": median(
            mine.load.per_second / theirs.load.per_second for mine, theirs in kept
        ),
    }
    figure = f"CPU of {NAME}, x ours"
    return Measure(name, figure, ratios, goal_of("peers", name, engine), "at least", beside)
