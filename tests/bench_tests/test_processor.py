"""What the kernel says of a process's time."""

import os
import subprocess
import sys
import threading
import time

from tests.bench import processor
from tests.bench.processor import (
    NANOSECONDS,
    TICKS,
    cpu_of,
    family_of,
    read_schedstat,
    read_stat,
    spent_between,
)


def test_read_schedstat():
    assert read_schedstat("1234567890 4321 99\n") == 1_234_567_890


def test_read_stat_with_a_name_that_holds_brackets():
    text = "42 (gunicorn) (x y) S 1 42 42 0 -1 4194304 100 0 0 0 7 5 0 0 20 0 1 0 100\n"

    assert read_stat(text) == 12 * NANOSECONDS // TICKS


def test_spent_between_counts_who_came_and_forgets_who_left():
    assert spent_between({1: 10, 2: 50}, {1: 25, 3: 4}) == 19


def test_cpu_of_counts_a_thread_that_has_ended():
    before = cpu_of(os.getpid())

    thread = threading.Thread(target=_compute, args=(0.05,))
    thread.start()
    thread.join()

    assert cpu_of(os.getpid()) - before > 0.03 * NANOSECONDS


def test_cpu_of_a_process_one_of_whose_threads_ends_meanwhile(monkeypatch):
    listed = processor._tasks

    def list_with_one_that_ended(pid, name):
        return [*listed(pid, name), processor.PROC / str(pid) / "task" / "0" / name]

    monkeypatch.setattr(processor, "_tasks", list_with_one_that_ended)

    assert cpu_of(os.getpid()) > 0


def test_cpu_of_nobody():
    assert cpu_of(2**22 + 1) == 0


def test_family_of_a_process_with_a_child():
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        assert child.pid in family_of(os.getpid())
    finally:
        child.communicate()


def _compute(seconds: float) -> None:
    deadline = time.thread_time() + seconds
    while time.thread_time() < deadline:
        pass
