"""How long processes have been on a processor, by the scheduler's own statistics.

``/proc/<pid>/task/<tid>/schedstat`` counts nanoseconds for each living thread;
``/proc/<pid>/stat`` counts in ticks, but for threads that have ended as well.
https://docs.kernel.org/scheduler/sched-stats.html
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

PROC = Path("/proc")
NANOSECONDS = 1_000_000_000
TICKS = os.sysconf("SC_CLK_TCK")


def read_schedstat(text: str) -> int:
    """Give the nanoseconds on a processor: the first of three numbers."""
    return int(text.split()[0])


def read_stat(text: str) -> int:
    """Give user and system time of a whole process in nanoseconds, to a tick.

    The name, in brackets, may hold spaces; utime and stime are the 12th and 13th after it.
    """
    fields = text.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * NANOSECONDS // TICKS


def cpu_of(pid: int) -> int:
    """Give the nanoseconds a process has used; 0 for one that is gone."""
    living = sum(read_schedstat(text) for text in _read_each(_tasks(pid, "schedstat")))
    whole = sum(read_stat(text) for text in _read_each([PROC / str(pid) / "stat"]))
    return max(living, whole)


def cpu_of_all(pids: Iterable[int]) -> dict[int, int]:
    """Give the nanoseconds of each process."""
    return {pid: cpu_of(pid) for pid in pids}


def spent_between(before: dict[int, int], after: dict[int, int]) -> int:
    """Give the nanoseconds all used; one that came in between began with nothing."""
    return sum(max(used - before.get(pid, 0), 0) for pid, used in after.items())


def family_of(pid: int) -> list[int]:
    """List a process and all that descend from it."""
    found = [pid]
    for parent in found:
        for text in _read_each(_tasks(parent, "children")):
            found += map(int, text.split())
    return found


def _read_each(files: Iterable[Path]) -> Iterator[str]:
    """Read files of /proc; those of a thread or process that ended meanwhile are left out."""
    for file in files:
        try:
            yield file.read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue


def _tasks(pid: int, name: str) -> list[Path]:
    return list((PROC / str(pid) / "task").glob(f"*/{name}"))
