"""A running demo for tests: the whole product as ``make run`` serves it, on ports of its own."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.processes import ROOT


def read_welcome(process: subprocess.Popen[str]) -> str:
    """Wait until a demo can be used and return what it printed until then.

    Raises RuntimeError if it ends before.
    """
    lines = []
    for line in process.stdout or ():
        lines.append(line)
        if "Ctrl-C" in line:
            return "".join(lines)
    raise RuntimeError("the demo did not start")


@contextmanager
def running_demo(folder: Path, *options: str) -> Iterator[str]:
    """Run a demo with its data in ``folder`` and yield its address. Raises RuntimeError."""
    command = [sys.executable, "manage.py", "demo", "--port", "0", "--data", str(folder), *options]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield re.findall(r"http://localhost:\d+", read_welcome(process))[0]
        finally:
            process.terminate()
            process.wait(timeout=40)  # the web server gives requests under way 25 seconds
