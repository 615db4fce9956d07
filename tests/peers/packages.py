"""Installs npm packages for the peers, into a cache outside the repository."""

import os
import shutil
import subprocess
from pathlib import Path

INSTALL_SECONDS = 300


class PeerMissingError(Exception):
    """The peer cannot be had here: no npm, or no network."""


def install(name: str, packages: dict[str, str]) -> Path:
    """Return a folder with these packages, by name and version; installed once for each set.

    Raises PeerMissingError without npm, and if npm cannot install them.
    """
    npm = shutil.which("npm")
    if npm is None:
        raise PeerMissingError("npm is not installed.")
    wanted = [f"{package}@{version}" for package, version in sorted(packages.items())]
    folder = _cache() / name / "+".join(wanted).replace("/", "_")
    done = folder / "installed"
    if not done.exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text('{"private": true}\n')
        _run_npm([npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", *wanted], folder)
        done.touch()
    return folder


def find_node() -> str:
    """Return the path of node. Raises PeerMissingError without it."""
    node = shutil.which("node")
    if node is None:
        raise PeerMissingError("node is not installed.")
    return node


def _run_npm(command: list[str], folder: Path) -> None:
    try:
        subprocess.run(
            command,
            cwd=folder,
            check=True,
            timeout=INSTALL_SECONDS,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
    except subprocess.CalledProcessError as error:
        last = error.stderr.decode().strip().splitlines()[-1:]
        raise PeerMissingError(f"npm could not install the packages: {''.join(last)}") from error
    except subprocess.TimeoutExpired as error:
        raise PeerMissingError("npm took too long.") from error


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "classes-peers"
