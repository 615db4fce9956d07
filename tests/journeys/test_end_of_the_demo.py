"""How demos begin and end: ``make run`` takes everything with it, and minds other demos."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

import pytest
import requests

from tests.processes import ROOT
from tests.running_demo import read_welcome

PATIENCE_SECONDS = 20
DOCKERFILE = (ROOT / "Dockerfile").read_text()
PS = shutil.which("ps") or "ps"

# No browser is needed, but a demo of one's own, which is always on SQLite.
pytestmark = pytest.mark.browser


def start_demo(folder, port=0, *, command=("manage.py", "demo"), root=ROOT):
    """Start a demo; what it prints, complaints included, can be read from it."""
    return subprocess.Popen(
        [sys.executable, *command, "--port", str(port), "--data", str(folder)],
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.fixture
def demo(tmp_path):
    """A demo process with everything up, and the ids of what it started."""
    with start_demo(tmp_path) as process:
        try:
            read_welcome(process)
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
    # Stand-ins, web with its worker, the worker, and the leash.
    end = time.monotonic() + PATIENCE_SECONDS
    while len(started := list_descendants(demo.pid)) < 5 and time.monotonic() < end:
        time.sleep(0.1)
    assert len(started) >= 5

    os.kill(demo.pid, ending)

    end = time.monotonic() + PATIENCE_SECONDS
    while any(is_running(pid) for pid in started) and time.monotonic() < end:
        time.sleep(0.1)
    assert [pid for pid in started if is_running(pid)] == []


def test_second_demo_in_the_folder_is_refused_and_the_first_keeps_its_data(demo, tmp_path):
    database = tmp_path / "db.sqlite3"
    first = database.stat().st_ino

    with start_demo(tmp_path) as second:
        said = second.communicate(timeout=PATIENCE_SECONDS)[0]

    assert second.returncode == 1
    assert said.startswith(f"CommandError: Another demo is running with {tmp_path}.")
    assert said.count("\n") == 1
    assert database.stat().st_ino == first


def test_early_request_waits_and_the_first_start_prints_no_traceback(tmp_path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with start_demo(tmp_path, port) as process:
        try:
            while (answer := try_to_get(f"http://localhost:{port}/inicio/reservar")) is None:
                assert process.poll() is None
            said = read_welcome(process)
        finally:
            process.terminate()

    assert answer.status_code == 200
    assert "Ingresar" in answer.text
    assert "Traceback" not in said


def try_to_get(address):
    """Get a page; None while no process listens there."""
    try:
        return requests.get(address, timeout=60)
    except requests.ConnectionError:
        return None


@pytest.mark.parametrize("seconds", [0.5, 2])
def test_interrupt_while_it_starts_leaves_nothing_running(tmp_path, seconds):
    with start_demo(tmp_path) as process:
        time.sleep(seconds)
        started = list_descendants(process.pid)
        # As `make run` asks it to end.
        process.terminate()
        said = process.communicate(timeout=PATIENCE_SECONDS)[0]

    assert "Traceback" not in said
    assert [pid for pid in started if is_running(pid)] == []


@pytest.mark.core
def test_the_files_of_the_image_are_enough_for_a_demo_and_its_ports_can_be_published(tmp_path):
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        if line.startswith("!"):
            copy_to(tmp_path, line[1:])
    command = json.loads(re.search(r"^ENTRYPOINT (.+)", DOCKERFILE, re.MULTILINE)[1])[1:]

    with start_demo(tmp_path / "data", command=[*command, "--empty"], root=tmp_path) as process:
        try:
            ports = set(re.findall(r"http://localhost:(\d+)", read_welcome(process)))
            for port in ports:
                # A listener on 127.0.0.1 alone would leave this address free.
                with pytest.raises(OSError, match="in use"):
                    socket.create_server(("127.0.0.2", int(port)))
        finally:
            process.terminate()

    assert len(ports) == 3


def copy_to(folder, name):
    (folder / name).parent.mkdir(exist_ok=True)
    copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
    copy(ROOT / name, folder / name)
