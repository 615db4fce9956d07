"""What a drill found, for people and for programs."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(slots=True)
class Row:
    """One line of a drill's table: a kill point, a phase. figures: in the order of the columns."""

    name: str
    figures: dict[str, Any]


@dataclass(slots=True)
class Result:
    """One drill on one engine, or one of its twins.

    twin: the protection left out; empty for the drill itself. broken: every promise that broke, in
    words. skipped: why it did not run.
    """

    drill: str
    engine: str
    twin: str = ""
    rows: list[Row] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)
    seconds: float = 0.0
    skipped: str = ""

    @property
    def is_ok(self) -> bool:
        """Whether it went as it has to: a drill without, a twin with a broken promise."""
        return bool(self.skipped) or bool(self.broken) == bool(self.twin)

    @property
    def verdict(self) -> str:
        """Say how it went, in two words."""
        if self.skipped:
            return "skipped"
        if self.twin:
            return "twin failed" if self.broken else "THE TWIN PASSED"
        return "BROKEN" if self.broken else "kept"


def print_result(result: Result) -> None:
    """Print what one drill found."""
    name = f"{result.drill} on {result.engine}"
    name += f", twin without {result.twin}" if result.twin else ""
    print(f"\n=== {name}: {result.verdict} ({result.seconds:.1f} s)", flush=True)
    if result.skipped:
        print(f"    {result.skipped}")
    if result.rows:
        columns = list(result.rows[0].figures)
        print_table(
            ["", *columns],
            [[row.name, *(row.figures.get(one, "") for one in columns)] for row in result.rows],
        )
    for what, figure in result.figures.items():
        print(f"    {what:<44} {_spell(figure)}")
    # A twin has to break; how often is enough.
    shown = result.broken[:3] if result.twin else result.broken[:20]
    for promise in shown:
        print(f"    {'as it must' if result.twin else 'BROKEN'}: {promise}")
    if len(result.broken) > len(shown):
        print(f"    ... and {len(result.broken) - len(shown)} more")
    print(end="", flush=True)


def print_summary(results: Sequence[Result]) -> None:
    """Print one line for each drill and twin."""
    print("\n=== summary")
    lines = [
        [one.drill, one.engine, one.twin or "-", f"{one.seconds:.1f} s", one.verdict]
        for one in results
    ]
    print_table(["drill", "engine", "without", "time", "verdict"], lines)
    failed = [one for one in results if not one.is_ok]
    twins = sum(bool(one.twin) for one in results)
    print(
        f"\n{len(results) - twins} drills and {twins} twins: "
        + (f"{len(failed)} did not go as they must." if failed else "every promise kept.")
    )


def print_table(head: Sequence[str], lines: Iterable[Sequence[Any]]) -> None:
    """Print columns, the first one and words to the left, numbers to the right."""
    cells = [list(head), *([_spell(cell) for cell in line] for line in lines)]
    widths = [max(len(line[number]) for line in cells) for number in range(len(head))]
    for line in cells:
        print("    " + "  ".join(_pad(*pair) for pair in zip(line, widths, strict=True)).rstrip())


def to_json(result: Result) -> str:
    """Give everything in one line, for programs."""
    return json.dumps({**asdict(result), "verdict": result.verdict, "ok": result.is_ok})


def from_json(text: str) -> Result:
    """Read what another process found."""
    found = json.loads(text)
    del found["verdict"], found["ok"]
    return Result(**{**found, "rows": [Row(**row) for row in found["rows"]]})


def percentile(values: Sequence[float], share: float) -> float:
    """Give the value that so large a share of all does not exceed; 0 of nothing."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)] if ordered else 0.0


def milliseconds(seconds: float) -> str:
    """Spell a duration."""
    return f"{seconds * 1000:.0f} ms"


def _spell(cell: Any) -> str:
    return f"{cell:.2f}" if isinstance(cell, float) else str(cell)


def _pad(cell: str, width: int) -> str:
    return cell.rjust(width) if cell[:1].isdigit() else cell.ljust(width)
