"""What a run found: every round of every measure, as plain values that JSON can hold."""

import os
import platform
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.bench.spread import Sense, Verdict, judge, spread_of

PACKAGES = ("Django", "djangorestframework", "gunicorn", "psycopg")


@dataclass(slots=True)
class Measure:
    """One figure of one operation.

    rounds: its value in each round, most often a ratio to the floor of the same round.
    goal: None for what is only told. beside: further columns, each a text or a number.
    is_noisy: the machine was too busy to judge.
    """

    operation: str
    figure: str
    rounds: list[float]
    goal: float | None = None
    sense: Sense = "at most"
    beside: dict[str, Any] = field(default_factory=dict)
    is_noisy: bool = False

    @property
    def verdict(self) -> Verdict:
        """What the rounds say about the goal."""
        if self.goal is None:
            return ""
        if self.is_noisy:
            return "noisy, no verdict"
        return judge(self.rounds, self.goal, self.sense)

    @property
    def is_missed(self) -> bool:
        """Whether even the better quartile is worse than the goal."""
        return self.verdict == "misses"


@dataclass(slots=True)
class Part:
    """A section's measures on one engine. raw: what they were made of."""

    section: str
    engine: str
    measures: list[Measure]
    notes: list[str] = field(default_factory=list)
    raw: Any = None

    def to_json(self) -> dict[str, Any]:
        """Give it as JSON, with what reports print of it."""
        part = asdict(self)
        for told, measure in zip(part["measures"], self.measures, strict=True):
            told["spread"] = asdict(spread_of(measure.rounds))
            told["verdict"] = measure.verdict
        return part


def read_part(told: dict[str, Any]) -> Part:
    """Make a part of its JSON again."""
    derived = {"spread", "verdict"}
    measures = [
        Measure(**{name: value for name, value in one.items() if name not in derived})
        for one in told["measures"]
    ]
    return Part(**{**told, "measures": measures})


def describe_machine() -> dict[str, Any]:
    """Say on what a run took place."""
    return {
        "cores": os.cpu_count(),
        "processor": _processor(),
        "load": [round(load, 2) for load in os.getloadavg()],
        "python": sys.version.split()[0],
        "system": f"{platform.system()} {platform.release()}",
        **{name: version(name) for name in PACKAGES},
        "wrk": _first_line("wrk", "-v").partition(" [")[0],
        "pgbench": _first_line("pgbench", "--version"),
    }


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _first_line(*command: str) -> str:
    """Give the first line that a tool says of itself; empty when there is no such tool."""
    if not shutil.which(command[0]):
        return ""
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    return (said.stdout or said.stderr).partition("\n")[0].strip()
