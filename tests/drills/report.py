"""What a drill found."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Row:
    """One line of a drill's table: a kill point, a phase. figures: in the order of the columns."""

    name: str
    figures: dict[str, Any]


@dataclass(slots=True)
class Result:
    """One drill on one engine. broken: every promise that broke, in words. skipped: the reason."""

    drill: str
    engine: str
    rows: list[Row] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)
    skipped: str = ""

    @property
    def verdict(self) -> str:
        """Say how it went, in a word."""
        if self.skipped:
            return "skipped"
        return "BROKEN" if self.broken else "kept"


def print_result(result: Result, *, seconds: float) -> None:
    """Print what one drill found."""
    name = f"{result.drill} on {result.engine}"
    print(f"\n=== {name}: {result.verdict} ({seconds:.1f} s)", flush=True)
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
    for promise in result.broken[:20]:
        print(f"    BROKEN: {promise}")
    if len(result.broken) > 20:
        print(f"    ... and {len(result.broken) - 20} more")
    print(end="", flush=True)


def print_table(head: Sequence[str], lines: Iterable[Sequence[Any]]) -> None:
    """Print columns, the first one and words to the left, numbers to the right."""
    cells = [list(head), *([_spell(cell) for cell in line] for line in lines)]
    widths = [max(len(line[number]) for line in cells) for number in range(len(head))]
    for line in cells:
        print("    " + "  ".join(_pad(*pair) for pair in zip(line, widths, strict=True)).rstrip())


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
