"""What a drill found."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # needs the settings
    from tests.drills.evidence import Violation

SHOWN = 20


@dataclass(slots=True)
class Result:
    """One drill on one engine.

    rows: figures of each kill point or phase, by name. broken: every promise that broke, in words.
    """

    drill: str
    engine: str
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    def add_violations(self, where: str, violations: "Iterable[Violation]") -> None:
        self.broken += [
            f"{where}: {one.invariant} {one.kind} {one.subject} ({one.about})" for one in violations
        ]


def print_result(result: Result, *, seconds: float) -> None:
    verdict = "BROKEN" if result.broken else "kept"
    print(f"\n=== {result.drill} on {result.engine}: {verdict} ({seconds:.1f} s)")
    for name, figures in result.rows.items():
        print(f"    {name:<36} " + ", ".join(f"{value} {what}" for what, value in figures.items()))
    for promise in result.broken[:SHOWN]:
        print(f"    BROKEN: {promise}")
    if len(result.broken) > SHOWN:
        print(f"    ... and {len(result.broken) - SHOWN} more")
    print(end="", flush=True)
