"""``make bench``: how much the service costs, beside a bare Django view in the same run.

``python -m tests.bench [SECTION ...] [--quick] [--engine ENGINE] [--json FILE] [--check]``, and
``python -m tests.bench report FILE ... [--write docs/performance.md]``. Everything on loopback.
"""

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.bench.clients import load_tool
from tests.bench.databases import ENGINES, migrated
from tests.bench.options import Options
from tests.bench.report import latest_parts, print_part, write_tables
from tests.bench.results import Part, describe_machine, read_part
from tests.bench.service import environment
from tests.processes import ROOT

SECTIONS = ("inproc", "http", "race", "provider", "open_loop", "startup", "scale")
QUICK_SECTIONS = ("inproc", "http", "race")
# Only when they are asked for.
MORE_SECTIONS = ("peers", "profile")
# What says nothing about the database is measured once.
ENGINES_OF = {"provider": ("postgresql",), "startup": ("postgresql",)}
SECTION_SECONDS = 1_200
LOG_SHOWN = 4_000
FAILED = "failed: see its log"


def main(arguments: list[str]) -> int:
    """Measure and print; 1 for a missed goal with ``--check``, 2 when a section failed."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if arguments[:1] == ["report"]:
        return report(arguments[1:])
    chosen = _read_arguments(arguments)
    run: dict[str, Any] = {
        "began": datetime.now(UTC).isoformat(timespec="seconds"),
        "is_quick": chosen.quick,
        "load_tool": load_tool(),
        "machine": describe_machine(),
        "parts": [],
    }
    parts = []
    for part in measure(chosen):
        print_part(part)
        parts.append(part)
        run["parts"].append(part.to_json())
        run["load_after"] = describe_machine()["load"]
        if chosen.json:  # after each part: whoever is interrupted keeps the others
            chosen.json.write_text(json.dumps(run, indent=1))
    if any(FAILED in part.notes for part in parts):
        return 2
    missed = any(measure.is_missed for part in parts for measure in part.measures)
    return int(missed and chosen.check)


def report(arguments: list[str]) -> int:
    """Print the tables of a run that was kept, or put them into a document."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench report")
    parser.add_argument("files", type=Path, nargs="+", help="a later one's parts replace others'")
    parser.add_argument("--write", type=Path, help="the document whose tables are replaced")
    chosen = parser.parse_args(arguments)
    runs = [json.loads(file.read_text()) for file in chosen.files]
    if chosen.write:
        write_tables(runs, chosen.write)
    else:
        for part in latest_parts(runs):
            print_part(part)
    return 0


def measure(chosen: argparse.Namespace) -> Iterator[Part]:
    """Run the sections, each in a process and with a database of its own, one after the other."""
    for engine in chosen.engine:
        with (
            tempfile.TemporaryDirectory(prefix="bench-") as name,
            migrated(engine, Path(name)) as copies,
        ):
            for section in chosen.sections:
                if engine not in ENGINES_OF.get(section, ENGINES):
                    continue
                began = time.monotonic()
                with copies.copy() as url:
                    part = run_section(section, Options(engine, url, Path(name), chosen.quick))
                part.notes.append(f"took {time.monotonic() - began:.0f} s")
                yield part


def run_section(section: str, options: Options) -> Part:
    """Have a section measured; its log is shown when it fails."""
    log = options.directory / f"{section}.log"
    with log.open("w") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.section", section],
            cwd=ROOT,
            env=environment(options.database, options.directory),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
        )
        try:
            told, _ = process.communicate(json.dumps(asdict(options), default=str), SECTION_SECONDS)
        finally:
            process.terminate()  # it stops what it has started
            process.wait()
    if process.returncode:
        print(log.read_text()[-LOG_SHOWN:], file=sys.stderr)
        print(f"the section ended with {process.returncode}", file=sys.stderr)
        return Part(section, options.engine, [], [FAILED])
    return read_part(json.loads(told.splitlines()[-1]))


def _read_arguments(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    known = [*SECTIONS, *MORE_SECTIONS]
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(known))
    parser.add_argument("--engine", action="append", choices=ENGINES, help="by default both")
    parser.add_argument(
        "--quick", action="store_true", help="few and short rounds, of fewer sections"
    )
    parser.add_argument("--check", action="store_true", help="end with 1 when a goal is missed")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep every round there")
    chosen = parser.parse_args(arguments)
    if unknown := set(chosen.sections) - set(known):
        parser.error(f"there is no section {', '.join(sorted(unknown))}")
    chosen.sections = chosen.sections or (QUICK_SECTIONS if chosen.quick else SECTIONS)
    chosen.engine = chosen.engine or ENGINES
    return chosen


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
