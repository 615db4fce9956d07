"""Tables of a run: on the screen, and in the documents. No figure is typed by hand."""

from pathlib import Path
from typing import Any

from tests.bench.results import Measure, Part, read_part
from tests.bench.spread import shown, spread_of

BEGIN, END = "<!-- bench: generated -->", "<!-- bench: end -->"
SIGNS = {"at most": "<=", "at least": ">="}


def print_part(part: Part) -> None:
    """Print a section's table."""
    print(f"\n{part.section} on {part.engine}")
    rows = [row.split(" | ") for row in _rows(part)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)))
    for note in part.notes:
        print(f"  ({note})", flush=True)


def latest_parts(runs: list[dict[str, Any]]) -> list[Part]:
    """Give the parts of some runs; of those about the same, the last."""
    return [read_part(told) for run in _latest(runs) for told in run["parts"]]


def _latest(runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave in each run only what no later one measured again; no run without any."""
    seen, latest = set(), []
    for run in reversed(runs):
        parts = [told for told in run["parts"] if (told["section"], told["engine"]) not in seen]
        seen |= {(told["section"], told["engine"]) for told in parts}
        if parts:
            latest.append({**run, "parts": parts})
    return latest[::-1]


def write_tables(runs: list[dict[str, Any]], document: Path) -> None:
    """Replace what stands between the two marks of a document. ValueError without the marks."""
    before, mark, rest = document.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (mark and end):
        raise ValueError(f"{document} has no place for the tables")
    lines = [*(_describe(run) for run in _latest(runs)), *_tables(latest_parts(runs))]
    document.write_text(f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{after}")


def _describe(run: dict[str, Any]) -> str:
    machine = run["machine"]
    names = ("python", "Django", "djangorestframework", "gunicorn", "psycopg")
    tool = machine["wrk"].partition(" [")[0] or run["load_tool"]
    versions = ", ".join(f"{name} {machine[name]}" for name in names)
    return (
        f"- {_sections(run)}: {run['began']}, "
        f"{machine['cores']} cores ({machine['processor']}), {versions}; load by "
        f"{tool}; load average {machine['load'][0]} before, "
        f"{run['load_after'][0]} after{'; short rounds' if run['is_quick'] else ''}"
    )


def _sections(run: dict[str, Any]) -> str:
    engines: dict[str, list[str]] = {}
    for part in run["parts"]:
        engines.setdefault(part["section"], []).append(part["engine"])
    return ", ".join(f"{section} ({' and '.join(on)})" for section, on in engines.items())


def _tables(parts: list[Part]) -> list[str]:
    lines = []
    for part in parts:
        header, *rows = _rows(part)
        rule = "|".join("---" for _ in header.split(" | "))
        lines += ["", f"### `{part.section}`, {part.engine}", "", f"| {header} |", f"|{rule}|"]
        lines += [f"| {row} |" for row in rows]
        lines += ["", *(f"- {note}" for note in part.notes)]
    return lines


def _rows(part: Part) -> list[str]:
    beside = list(dict.fromkeys(name for measure in part.measures for name in measure.beside))
    header = ["operation", "figure", "goal", "median [q1..q3]", "verdict", *beside]
    rows = [[*_cells(measure), *_beside(measure, beside)] for measure in part.measures]
    return [" | ".join(row) for row in [header, *rows]]


def _cells(measure: Measure) -> list[str]:
    goal = "" if measure.goal is None else f"{SIGNS[measure.sense]} {shown(measure.goal)}"
    figures = str(spread_of(measure.rounds))
    return [measure.operation, measure.figure, goal, figures, measure.verdict]


def _beside(measure: Measure, names: list[str]) -> list[str]:
    values = (measure.beside.get(name, "") for name in names)
    return [shown(value) if isinstance(value, float) else str(value) for value in values]
