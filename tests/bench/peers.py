"""``peers``: what others ask for the same, side by side with ours in the same rounds. Goal P11.

It needs the package index; without it there is nothing to compare, and that is said.
"""

import subprocess
from collections.abc import Callable
from itertools import count, islice
from statistics import median

from tests.bench.budgets import goal_of
from tests.bench.clients import Request, fetch
from tests.bench.databases import copies_of_nothing
from tests.bench.http import QUICK_SECONDS, SECONDS, Round, Target
from tests.bench.operations import Operation, list_operations
from tests.bench.options import Options
from tests.bench.peer_project import Peer, book, install, list_slots, running_peer
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
        comparisons = _comparisons(ours, peer)
        targets = list(dict.fromkeys(one for pair in comparisons.values() for one in pair))
        for target in targets:
            target.measure(1)
        for number in range(options.rounds):
            for target in targets if number % 2 == 0 else targets[::-1]:
                seconds = QUICK_SECONDS if options.is_quick else SECONDS
                target.rounds.append(target.measure(seconds))
    measures = []
    for name, compared in comparisons.items():
        rounds = zip(*(one.rounds for one in compared), strict=True)
        kept = [[one for one in each if one] for each in rounds if all(each)]
        if kept:
            measures.append(_compare(options.engine, name, kept))
    notes = [
        f"{one.operation.name}: a round was refused: {wrong}"
        for one in targets
        for wrong in one.wrong
    ]
    return Part("peers", options.engine, measures, notes)


def _comparisons(ours: Server, peer: Peer) -> dict[str, list[Target]]:
    """Name what is compared: our request first, then those by which the peer does the same."""
    fetch(ours.url, Request("GET", "/api/calendar"))
    mine = {one.name: Target(one, ours) for one in list_operations("")}
    numbers = count()

    def theirs(name: str, take: Callable[[int], list[Request]], expected: int = 302) -> Target:
        return Target(Operation(f"{NAME}, {name}", take, expected), peer.server)

    slots = theirs("slots", lambda number: [list_slots()], 200)
    first = theirs("first step", lambda number: [book(one) for one in islice(numbers, number)])
    second = theirs("second step", peer.book_second_step)
    return {
        "occupied slots": [mine["calendar"], slots],
        "booking": [mine["booking"], first, second],
        "booking, its first step": [mine["booking"], first],
    }


def _compare(engine: str, name: str, rounds: list[list[Round]]) -> Measure:
    ratios = [sum(map(_cost, theirs)) / _cost(mine) for mine, *theirs in rounds]
    beside = {
        "p50 ms, ours": median(mine.load.p50_ms for mine, *_ in rounds),
        f"p50 ms, {NAME}": median(sum(one.load.p50_ms for one in theirs) for _, *theirs in rounds),
    }
    figure = f"CPU of {NAME}, x ours"
    return Measure(name, figure, ratios, goal_of("peers", name, engine), "at least", beside)


def _cost(one: Round) -> float:
    return one.cpu + one.database_cpu
