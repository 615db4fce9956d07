"""A file that is there whole, or not at all, and that nobody else may read."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bookings.management.backups.errors import BackupError


def keep_off(path: Path, files: list[Path]) -> None:
    """Raise BackupError when the path leads to one of the files, by whatever name."""
    real = os.path.realpath(path)
    if any(real == os.path.realpath(one) or _is_same(path, one) for one in files):
        raise BackupError(f"{path} is the database itself. Name another file.")


@contextmanager
def whole_file(path: Path, *, replace: bool) -> Iterator[Path]:
    """Give an empty file to write, which takes its name when the block ends well.

    It lies beside the final one, on the same disk, and is its owner's alone (0600). Raises
    BackupError when the name is taken, unless ``replace``; also when it was taken meanwhile.
    """
    # Path.exists would raise for a folder that this user may not look into.
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
        _keep(draft)
        _name(draft, path, replace=replace)
        _keep(path.parent)
    finally:
        draft.unlink(missing_ok=True)


def _is_same(path: Path, other: Path) -> bool:
    """Whether both are there, and one file: a second name of it is no other file."""
    return os.path.exists(path) and os.path.exists(other) and path.samefile(other)


def _name(draft: Path, path: Path, *, replace: bool) -> None:
    if replace:
        draft.replace(path)
        return
    try:
        os.link(draft, path)  # unlike a renaming, it fails when the name is taken
    except FileExistsError as error:
        raise BackupError(f"{path} exists. Name another file, or add --replace.") from error


def _keep(path: Path) -> None:
    """Have what was written survive a power cut."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
