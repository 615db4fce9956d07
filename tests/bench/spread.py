"""What rounds come to: median and quartiles, and what they say about a goal."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Literal

Sense = Literal["at most", "at least"]
Verdict = Literal["holds", "misses", "open", "noisy, no verdict", ""]
# A round counts only while the floor itself is near its best: of the run, and of this machine.
QUIET_IN_RUN, QUIET_ON_HOST = 1.25, 1.3


@dataclass(frozen=True, slots=True)
class Spread:
    """Median and quartiles of some rounds."""

    q1: float
    median: float
    q3: float

    def __str__(self) -> str:
        return f"{shown(self.median)} [{shown(self.q1)}..{shown(self.q3)}]"


def spread_of(values: Sequence[float]) -> Spread:
    """Give median and quartiles; of a single value they are the same. ValueError for none."""
    if len(values) < 2:
        [only] = values
        return Spread(only, only, only)
    q1, _, q3 = quantiles(values, n=4, method="inclusive")
    return Spread(q1, median(values), q3)


def judge(values: Sequence[float], goal: float, sense: Sense) -> Verdict:
    """Say whether a goal holds: by the median it does, by the better quartile it does not.

    Between the two the rounds leave it open.
    """
    spread = spread_of(values)
    if sense == "at most":
        return "holds" if spread.median <= goal else "misses" if spread.q1 > goal else "open"
    return "holds" if spread.median >= goal else "misses" if spread.q3 < goal else "open"


def quiet_rounds(floors: Sequence[float], best_of_host: float | None = None) -> list[int]:
    """Give the numbers of the rounds whose floor was undisturbed; none on a busy machine.

    floors: what the floor cost in each round. best_of_host: the least it ever cost here.
    """
    best = min(floors)
    if best_of_host and best > QUIET_ON_HOST * best_of_host:
        return []
    return [number for number, floor in enumerate(floors) if floor <= QUIET_IN_RUN * best]


def shown(value: float) -> str:
    """Print three digits that mean something."""
    size = abs(value)
    return f"{value:.0f}" if size >= 100 else f"{value:.1f}" if size >= 10 else f"{value:.2f}"
