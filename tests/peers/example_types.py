"""The types that openapi-typescript makes of the document, in TypeScript's check of the example."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.peers.packages import find_node, install
from tests.processes import ROOT

PACKAGES = {"openapi-typescript": "7.13.0", "typescript": "5.9.3"}
EXAMPLE = ROOT / "docs" / "examples" / "front-end.js"
# Parameters without a type may be anything.
CHECK = ["--checkJs", "--noEmit", "--strict", "--noImplicitAny", "false"]
CHECK += ["--target", "esnext", "--lib", "esnext,dom", "--moduleDetection", "force"]
SECONDS = 120


def run_example_types() -> None:
    """Raises AssertionError for a mistake in the example or document, PeerMissingError."""
    bin_folder = install("example-types", PACKAGES) / "node_modules" / ".bin"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(EXAMPLE, folder)
        document, types = folder / "openapi.json", folder / "api.d.ts"
        make = [sys.executable, "manage.py", "spectacular", "--format=openapi-json", "--validate"]
        _run([*make, f"--file={document}"], ROOT)
        _run([find_node(), str(bin_folder / "openapi-typescript"), document, "-o", types], folder)
        _run([find_node(), str(bin_folder / "tsc"), *CHECK, EXAMPLE.name], folder)


def _run(command: list[str | Path], folder: Path) -> None:
    ran = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "DEBUG": "true"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout
