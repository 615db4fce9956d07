"""``make run`` takes everything with it, however it ends."""

import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from tests.demo import ROOT, free_ports

PATIENCE_SECONDS = 20
PS = shutil.which("ps") or "ps"

# No browser is needed, but a demo of one's own, which is always on SQLite.
pytestmark = pytest.mark.browser


@pytest.fixture
def demo(tmp_path):
    """A demo process with everything up, and the ids of what it started."""
    names = ("--port", "--google-port", "--github-port", "--mercadopago-port", "--receiver-port")
    ports = map(str, free_ports(len(names)))
    arguments = [part for pair in zip(names, ports, strict=True) for part in pair]
    command = [sys.executable, "manage.py", "demo", "--data", str(tmp_path), *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert any("Ctrl-C" in line for line in process.stdout)
            yield process
        finally:
            process.kill()


def list_descendants(pid):
    """List the ids of everything below a process."""
    listed = subprocess.run([PS, "-A", "-o", "pid=,ppid="], capture_output=True, text=True)
    pairs = [tuple(map(int, line.split())) for line in listed.stdout.splitlines()]
    found = [pid]
    for parent in found:
        found += [child for child, above in pairs if above == parent]
    return found[1:]


def is_running(pid):
    state = subprocess.run([PS, "-o", "stat=", "-p", str(pid)], capture_output=True, text=True)
    return bool(state.stdout.strip()) and not state.stdout.startswith("Z")


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL])
def test_demo_leaves_nothing_behind(demo, ending):
    # Stand-ins, web with its worker, the worker with its hand, and the leash.
    end = time.monotonic() + PATIENCE_SECONDS
    while len(started := list_descendants(demo.pid)) < 6 and time.monotonic() < end:
        time.sleep(0.1)
    assert len(started) >= 6

    os.kill(demo.pid, ending)

    end = time.monotonic() + PATIENCE_SECONDS
    while any(is_running(pid) for pid in started) and time.monotonic() < end:
        time.sleep(0.1)
    assert [pid for pid in started if is_running(pid)] == []
