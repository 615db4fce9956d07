"""Where the demo listens and keeps its data, its clock, and what it refuses before it starts."""

import os
import socket
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import CommandError
from django.utils import timezone

from tests.demo.clocks import clock_environment, moved_clock
from tests.demo.folder import empty_folder
from tests.demo.ports import OFFSETS, choose_ports, listen


@pytest.fixture
def web():
    with listen(0) as listener:
        yield listener


@pytest.fixture
def busy():
    """A port that another program listens on."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield other.getsockname()[1]


def test_one_port_moves_all(web):
    ports = choose_ports(web, {})

    near = {name: ports.web + offset for name, offset in OFFSETS.items()}
    others = {getattr(ports, name) for name in OFFSETS} | {ports.web, ports.smtp}
    assert ports.web == web.getsockname()[1]
    # One that another program has is replaced.
    assert any(getattr(ports, name) == port for name, port in near.items())
    assert len(others) == 7


def test_busy_port_of_a_standin_is_replaced(monkeypatch, web, busy):
    monkeypatch.setitem(OFFSETS, "google", busy - web.getsockname()[1])

    assert choose_ports(web, {}).google not in {busy, 0}


def test_port_that_was_asked_for_is_taken_or_refused(web, busy):
    with socket.create_server(("127.0.0.1", 0)) as probe:
        free = probe.getsockname()[1]

    assert choose_ports(web, {"google": free}).google == free
    with pytest.raises(CommandError, match=f"Port {busy} cannot be used"):
        choose_ports(web, {"google": busy})


def test_busy_site_port_is_refused_with_a_way_out(busy):
    with pytest.raises(CommandError, match=r"make run ARGS=--port=9000"):
        listen(busy)


def test_folder_loses_what_an_earlier_demo_left_and_nothing_else(tmp_path):
    for name in ("db.sqlite3", "db.sqlite3-wal", "mine.txt"):
        (tmp_path / name).touch()
    (tmp_path / "correos").mkdir()
    (tmp_path / "correos" / "001.eml").touch()

    with empty_folder(tmp_path):
        left = {file.name for file in tmp_path.iterdir()}

    assert left == {"lock", "mine.txt", "correos"}
    assert not list((tmp_path / "correos").iterdir())


def test_folder_is_one_demos_at_a_time(tmp_path):
    with empty_folder(tmp_path):
        (tmp_path / "db.sqlite3").touch()
        with pytest.raises(CommandError, match="Another demo is running"), empty_folder(tmp_path):
            pass
        assert (tmp_path / "db.sqlite3").exists()

    with empty_folder(tmp_path):
        pass


def test_child_of_a_demo_at_another_time_has_its_clock():
    now = datetime(2027, 3, 3, 12, 30, tzinfo=UTC)

    with moved_clock(now) as ahead:
        moved = timezone.now()
        child = subprocess.run(
            [sys.executable, "-c", "import datetime; print(datetime.datetime.now(datetime.UTC))"],
            env={**os.environ, **clock_environment(ahead)},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout

    assert now <= moved <= datetime.fromisoformat(child.strip()) < now + timedelta(minutes=5)
