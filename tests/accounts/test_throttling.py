"""Counting in the shared cache: exact, whoever races."""

import shutil
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.core.cache import cache, caches
from django.db import connections

from config.lib.throttling import count_one, give_back, is_too_often, seconds_left

THREADS, EACH = 8, 20


@pytest.fixture
def locmem(settings):
    settings.CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
            "LOCATION": "racing",
        }
    }


@pytest.fixture
def redis(settings, tmp_path):
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("no Redis on this machine")
    path = tmp_path / "redis.sock"
    command = [program, "--port", "0", "--unixsocket", str(path), "--save", "", "--dir", tmp_path]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while not _answers(path):
            assert process.poll() is None
            time.sleep(0.02)
        settings.CACHES = {
            "default": {
                "BACKEND": "config.lib.redis_cache.ForgivingRedisCache",
                "LOCATION": f"unix://{path}",
            }
        }
        yield
        caches.close_all()
        process.terminate()


def _answers(path):
    with socket.socket(socket.AF_UNIX) as connection:
        return connection.connect_ex(str(path)) == 0


@pytest.fixture(params=["locmem", "redis"])
def shared_cache(request):
    """Each kind of cache that the service may be given."""
    request.getfixturevalue(request.param)
    cache.clear()
    return request.param


def race(act):
    """Do something in many threads at once; give what each of them got."""

    def several(_):
        try:
            return [act() for _ in range(EACH)]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(THREADS) as pool:
        return [result for results in pool.map(several, range(THREADS)) for result in results]


def test_every_one_is_counted_once(shared_cache):
    numbers = race(lambda: count_one("things", "ana", window=timedelta(hours=1)).number)

    assert sorted(numbers) == list(range(1, THREADS * EACH + 1))


def test_exactly_the_limit_passes(shared_cache):
    hour = timedelta(hours=1)
    refused = race(lambda: is_too_often("things", "ana", limit=25, window=hour))

    assert refused.count(False) == 25


def test_what_is_given_back_does_not_count(shared_cache):
    give_back(count_one("things", "ana"))

    assert count_one("things", "ana").number == 1


def test_a_count_lasts_for_its_window(shared_cache, time_machine):
    """Even if nothing happens for longer than a cache keeps what it is told no time for."""
    hour = timedelta(hours=1)
    time_machine.move_to(3_600 * 500_000, tick=False)
    count_one("things", "ana", window=hour)
    time_machine.shift(timedelta(minutes=59))

    assert count_one("things", "ana", window=hour).number == 2


def test_each_person_thing_and_window_is_counted_apart(time_machine):
    time_machine.move_to(60_000_000, tick=False)
    assert count_one("things", "ana").number == 1
    assert count_one("things", "bruno").number == 1
    assert count_one("others", "ana").number == 1
    assert seconds_left() == 60
    time_machine.move_to(60_000_059, tick=False)
    assert (count_one("things", "ana").number, seconds_left()) == (2, 1)
    time_machine.move_to(60_000_060, tick=False)
    assert count_one("things", "ana").number == 1
