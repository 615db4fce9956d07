"""Files that are written completely or not at all, readable for their owner only."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class BackupError(Exception):
    """A backup or a restore failed. The text holds no secret."""


def require_other_file(path: Path, files: list[Path]) -> None:
    """Raise BackupError if the path leads to one of the files, by any name."""
    real = os.path.realpath(path)
    if any(real == os.path.realpath(one) or _is_same(path, one) for one in files):
        raise BackupError(f"{path} is the database itself. Name another file.")


@contextmanager
def whole_file(path: Path, *, replace: bool) -> Iterator[Path]:
    """Yield an empty file beside ``path`` that gets this name if the block succeeds.

    Raises BackupError if the name is taken, then or now, unless ``replace`` is set.
    """
    # Path.exists would raise for a folder without permission.
    if os.path.lexists(path) and not replace:
        raise BackupError(f"{path} exists. Name another file, or add --replace.")
    try:
        number, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise BackupError(f"Nothing can be written to {path.parent}.") from error
    os.close(number)
    draft = Path(name)
    try:
        yield draft
        _sync(draft)
        _name(draft, path, replace=replace)
        _sync(path.parent)
    finally:
        draft.unlink(missing_ok=True)


def _is_same(path: Path, other: Path) -> bool:
    """True if both are names of one file."""
    return os.path.exists(path) and os.path.exists(other) and path.samefile(other)


def _name(draft: Path, path: Path, *, replace: bool) -> None:
    if replace:
        draft.replace(path)
        return
    try:
        os.link(draft, path)  # renaming would replace an existing file
    except FileExistsError as error:
        raise BackupError(f"{path} exists. Name another file, or add --replace.") from error


def _sync(path: Path) -> None:
    """Make the file or folder survive a power cut."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
