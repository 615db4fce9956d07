"""Files that are written completely or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class BackupError(Exception):
    """The text holds no secret."""


def require_other_file(path: Path, files: list[Path]) -> None:
    """Raise BackupError if the path leads to one of the files, by any name."""
    for one in files:
        is_same = os.path.exists(path) and os.path.exists(one) and path.samefile(one)
        if is_same or os.path.realpath(path) == os.path.realpath(one):
            raise BackupError(f"{path} is the database itself. Name another file.")


@contextmanager
def private_files() -> Iterator[None]:
    """Make new files, such as those of SQLite, their owner's alone."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def whole_file(path: Path, *, replace: bool) -> Iterator[Path]:
    """Yield an empty private file beside ``path`` that gets this name if the block succeeds.

    Raises BackupError if the name is taken, before or after, unless ``replace`` is set.
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
        if replace:
            draft.replace(path)
        else:
            path.hardlink_to(draft)  # renaming would replace an existing file
        _sync(path.parent)
    except FileExistsError as error:
        raise BackupError(f"{path} exists. Name another file, or add --replace.") from error
    finally:
        draft.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
