"""The command of the drills: ``python -m tests.drills crash oversell --engine sqlite``.

Each engine gets a process of its own, and both run at the same time. PostgreSQL is that of
TEST_DATABASE_URL or DATABASE_URL, else a private one; what gets restarted is always private.
"""

import argparse
import importlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from tests.drills.report import Result, from_json, print_result, print_summary, to_json
from tests.drills.size import FULL, QUICK, Size
from tests.drills.world import ENGINES, POSTGRESQL, World, open_world
from tests.postgres import find_postgresql
from tests.processes import ROOT

RESTART = "restart"
DRILLS = (
    "crash",
    "oversell",
    "seats",
    "invite",
    "guess",
    "foreign",
    "outage",
    "zone",
    RESTART,
)
LOG_LINES = 40


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for; 0 when every promise was kept and every twin failed."""
    options = _parse(arguments)
    # What a drill has started ends with it, however it is ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    parts = _plan(options)
    results = _run_parts(parts, options) if len(parts) > 1 else _run_part(parts[0], options)
    if not options.json:
        print_summary(results)
    return 0 if results and all(one.is_ok for one in results) else 1


@dataclass(frozen=True, slots=True)
class Part:
    """The drills that one process runs. private: on a server of our own."""

    engine: str
    drills: tuple[str, ...]
    private: bool = False


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="manage.py drill", description=__doc__)
    parser.add_argument(
        "drills", nargs="*", metavar="drill", help=f"of {', '.join(DRILLS)}; or all"
    )
    parser.add_argument("--engine", choices=[*ENGINES, "both"], default="both")
    parser.add_argument("--quick", action="store_true", help="few of everything, for a first look")
    parser.add_argument("--no-twins", action="store_true", help="leave the twins out")
    parser.add_argument("--json", action="store_true", help="print one JSON document a line")
    parser.add_argument("--database-url", default="", help="a test's database, to be emptied")
    parser.add_argument("--private", action="store_true", help="always start a PostgreSQL")
    for name, meaning in Size.MEANINGS.items():
        parser.add_argument(f"--{name}", type=int, help=f"{meaning} ({getattr(FULL, name)})")
    options = parser.parse_args(arguments)
    unknown = set(options.drills) - {*DRILLS, "all"}
    if unknown:
        parser.error(f"there is no drill {sorted(unknown)[0]!r}")
    if not options.drills or "all" in options.drills:
        options.drills = DRILLS
    return options


def _size(options: argparse.Namespace) -> Size:
    return (QUICK if options.quick else FULL).changed(
        **{name: getattr(options, name) for name in Size.MEANINGS}
    )


def _plan(options: argparse.Namespace) -> list[Part]:
    """Cut the work by engine; restarting a server that is not ours is out of the question."""
    engines = ENGINES if options.engine == "both" else (options.engine,)
    parts = []
    for engine in engines:
        drills = tuple(options.drills)
        if engine == POSTGRESQL and find_postgresql() and not options.private:
            if RESTART in drills:
                parts.append(Part(engine, (RESTART,), private=True))
            drills = tuple(one for one in drills if one != RESTART)
        if drills:
            parts.append(Part(engine, drills, private=options.private))
    return parts


def _run_part(part: Part, options: argparse.Namespace) -> list[Result]:
    """Run the drills of one part in this process."""
    results = []
    with open_world(part.engine, database_url=options.database_url, private=part.private) as world:
        for result in _run_drills(world, part.drills, options):
            results.append(result)
            if options.json:
                print(to_json(result), flush=True)
            else:
                print_result(result)
    return results


def _run_drills(
    world: World, drills: Sequence[str], options: argparse.Namespace
) -> Iterator[Result]:
    size = _size(options)
    for name in drills:
        module: Any = importlib.import_module(f"tests.drills.{name}")
        with _service_log(world.directory / "service.log") as say:
            say(f"{name} on {world.engine} ...")
            yield _timed(module.drill, world, size)
            for twin in () if options.no_twins else module.TWINS:
                say(f"{name} on {world.engine}, without {twin.name} ...")
                yield _timed(module.drill, world, size.small(), twin)


def _timed(drill: Callable[..., Result], *arguments: Any) -> Result:
    started = time.monotonic()
    result = drill(*arguments)
    result.seconds = time.monotonic() - started
    return result


@contextmanager
def _service_log(file: Path) -> Iterator[Callable[[str], None]]:
    """Send what the service logs into a file, and show its end when a drill cannot go on.

    Gives a function that still reaches whoever looks at the standard error.
    """
    sys.stderr.flush()
    with ExitStack() as stack:
        kept = os.dup(2)
        stack.callback(os.close, kept)
        log = stack.enter_context(file.open("ab"))
        os.dup2(log.fileno(), 2)
        try:
            yield lambda text: _write(kept, text)
        except Exception:
            lines = file.read_text(errors="replace").splitlines()[-LOG_LINES:]
            _write(kept, "\n".join(lines))
            raise
        finally:
            sys.stderr.flush()
            os.dup2(kept, 2)


def _write(descriptor: int, text: str) -> None:
    os.write(descriptor, f"{text}\n".encode())


def _run_parts(parts: Sequence[Part], options: argparse.Namespace) -> list[Result]:
    """Run every part in a process of its own, and print each result as soon as it is there."""
    results: list[Result] = []
    lock = Lock()

    def follow(process: subprocess.Popen[str]) -> None:
        for line in process.stdout or ():
            with lock:
                results.append(from_json(line))
                if options.json:
                    print(line, end="", flush=True)
                else:
                    print_result(results[-1])

    with ExitStack() as stack:
        processes = [stack.enter_context(_start(part, options)) for part in parts]
        threads = [Thread(target=follow, args=(process,)) for process in processes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if any(process.returncode not in {0, 1} for process in processes):
        raise SystemExit("A drill could not be carried out; see above.")
    return results


@contextmanager
def _start(part: Part, options: argparse.Namespace) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.drills", *part.drills]
    command += ["--engine", part.engine, "--json"]
    command += ["--private"] if part.private else []
    command += ["--quick"] if options.quick else []
    command += ["--no-twins"] if options.no_twins else []
    for name in Size.MEANINGS:
        if getattr(options, name) is not None:
            command += [f"--{name}", str(getattr(options, name))]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    sys.exit(main())
