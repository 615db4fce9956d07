"""The command of the drills: ``python -m tests.drills crash seats --engine sqlite``.

Each engine gets a process of its own, and both run at the same time.
"""

import argparse
import importlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.drills.report import print_result
from tests.drills.world import ENGINES, FULL, QUICK, World, open_world
from tests.processes import ROOT

DRILLS = ("crash", "seats", "outage", "zone", "restart")
LOG_LINES = 40


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for; 0 when every promise was kept."""
    parser = argparse.ArgumentParser(prog="python -m tests.drills", description=__doc__)
    parser.add_argument("drills", nargs="*", metavar="drill", help=f"of {', '.join(DRILLS)}")
    parser.add_argument("--engine", choices=ENGINES, help="only this one")
    parser.add_argument("--quick", action="store_true", help="few of everything, for a first look")
    options = parser.parse_args(arguments)
    if unknown := set(options.drills) - {*DRILLS}:
        parser.error(f"there is no drill {sorted(unknown)[0]!r}")
    # What a drill has started ends with it, however it is ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if options.engine is None:
        return _run_on_each_engine(sys.argv[1:] if arguments is None else arguments)
    broken = 0
    with open_world(options.engine) as world:
        for name in options.drills or DRILLS:
            broken += _run(name, world, is_quick=options.quick)
    print(f"\n=== {options.engine}: {broken or 'no'} broken promises", flush=True)
    return 1 if broken else 0


def _run_on_each_engine(arguments: Sequence[str]) -> int:
    command = [sys.executable, "-m", "tests.drills", *arguments, "--engine"]
    with ExitStack() as stack:
        processes = []
        for engine in ENGINES:
            process = stack.enter_context(subprocess.Popen([*command, engine], cwd=ROOT))
            stack.callback(process.terminate)
            processes.append(process)
        return max(abs(process.wait()) for process in processes)


def _run(name: str, world: World, *, is_quick: bool) -> int:
    """Run a drill and print what it found; return how many promises broke."""
    module: Any = importlib.import_module(f"tests.drills.{name}")
    started = time.monotonic()
    with _service_log(world.directory / "service.log"):
        result = module.drill(world, QUICK if is_quick else FULL)
    print_result(result, seconds=time.monotonic() - started)
    return len(result.broken)


@contextmanager
def _service_log(file: Path) -> Iterator[None]:
    """Send what the service logs into a file, and show its end when a drill cannot go on."""
    sys.stderr.flush()
    kept = os.dup(2)
    with file.open("ab") as log:
        os.dup2(log.fileno(), 2)
    try:
        yield
    except Exception:
        lines = file.read_text(errors="replace").splitlines()[-LOG_LINES:]
        os.write(kept, "\n".join(lines).encode())
        raise
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)


if __name__ == "__main__":
    sys.exit(main())
