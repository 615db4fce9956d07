"""Changing a function by its import path, in the process that is about to be killed or crowded.

The product has no switches for drills: everything is put in, and left out, from here.
"""

import os
import pkgutil
import signal
from collections.abc import Callable
from functools import wraps
from typing import Any


def replace(path: str, make: Callable[[Any], Any]) -> None:
    """Put ``make(original)`` where the path points, for the rest of the process.

    path: of a module's function or a class's method, such as
    ``bookings.domain.classes.scheduling.create_event``.
    Raises AttributeError when nothing is there: a drill that misses its point proves nothing.
    """
    parent_path, _, name = path.rpartition(".")
    parent = pkgutil.resolve_name(parent_path)
    original = vars(parent)[name] if name in vars(parent) else getattr(parent, name)
    setattr(parent, name, make(original))


def die(*args: Any, **kwargs: Any) -> None:
    """End at once: no handler runs, no transaction is closed, no connection says goodbye."""
    os.kill(os.getpid(), signal.SIGKILL)


def die_before(path: str) -> None:
    """Have the process die instead of calling a function."""
    replace(path, lambda original: wraps(original)(die))


def die_after(path: str) -> None:
    """Have the process die as soon as a function has returned."""

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(original)
        def run(*args: Any, **kwargs: Any) -> None:
            original(*args, **kwargs)
            die()

        return run

    replace(path, make)
