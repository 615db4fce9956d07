"""config/lib/provider_calls.py: a few threads wait for the provider, the others stay free."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import timedelta

import pytest

from config.lib.provider_calls import ProviderBusyError, ProviderGuard, SingleFlight

pytestmark = pytest.mark.concurrency

SHORT = timedelta(seconds=0.05)
LONG = timedelta(seconds=5)


@contextmanager
def somebody_inside(guard, *, places):
    """Have another thread inside for the block; gives what lets it leave earlier."""
    is_in, may_leave = threading.Event(), threading.Event()

    def stay():
        with guard.enter(places):
            is_in.set()
            assert may_leave.wait(5)

    thread = threading.Thread(target=stay)
    thread.start()
    try:
        assert is_in.wait(5)
        yield may_leave
    finally:
        may_leave.set()
        thread.join(5)


def refusal_seconds(guard, *, places):
    began = time.monotonic()
    with pytest.raises(ProviderBusyError), guard.enter(places):
        pass
    return time.monotonic() - began


def fail(guard, *, after):
    with suppress(ZeroDivisionError), guard.enter(1):
        time.sleep(after)
        1 / 0  # noqa: B018


def test_enter_waits_for_a_place():
    guard = ProviderGuard(LONG)

    with somebody_inside(guard, places=1) as may_leave:
        threading.Timer(0.05, may_leave.set).start()
        with guard.enter(1):
            pass


def test_enter_has_one_wait_in_vain_and_no_other():
    guard = ProviderGuard(timedelta(seconds=0.2))

    with somebody_inside(guard, places=1):
        seconds = [refusal_seconds(guard, places=1) for _ in range(3)]

    assert seconds[0] >= 0.2
    assert max(seconds[1:]) < 0.1


def test_enter_gives_the_place_back_after_an_error():
    guard = ProviderGuard(SHORT)

    for _ in range(2):
        with pytest.raises(RuntimeError), guard.enter(1):
            raise RuntimeError


def test_quick_failures_after_slow_ones_do_not_close_it_again():
    guard = ProviderGuard(SHORT, pause=timedelta(seconds=0.1))
    for _ in range(2):
        fail(guard, after=0.06)
    refusal_seconds(guard, places=1)
    time.sleep(0.11)

    for _ in range(2):
        fail(guard, after=0)


PATIENCE = timedelta(seconds=5)


class Work:
    """Counts its calls; each ends when the test lets it."""

    def __init__(self):
        self.calls = 0
        self.began = threading.Event()
        self.may_end = threading.Event()

    def __call__(self):
        self.calls += 1
        self.began.set()
        assert self.may_end.wait(5)
        return self.calls


@pytest.mark.concurrency
@pytest.mark.parametrize("name", ["run", "run_anew"])
def test_a_follower_stops_waiting_for_a_slow_leader(name):
    flight, slow = SingleFlight(), Work()
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(flight.run, "key", slow, patience=PATIENCE)
        assert slow.began.wait(5)

        with pytest.raises(TimeoutError):
            getattr(flight, name)("key", slow, patience=timedelta(seconds=0.05))

        slow.may_end.set()
        assert first.result(5) == 1


def test_run_forgets_a_failure():
    flight = SingleFlight()
    with pytest.raises(ZeroDivisionError):
        flight.run("key", lambda: 1 / 0, patience=PATIENCE)

    assert flight.run("key", lambda: 1, patience=PATIENCE) == 1


@pytest.mark.concurrency
def test_run_anew_shares_only_what_begins_after_the_threads_asked():
    flight, slow = SingleFlight(), Work()
    with ThreadPoolExecutor(5) as pool:
        first = pool.submit(flight.run_anew, "key", slow, patience=PATIENCE)
        assert slow.began.wait(5)
        late = [pool.submit(flight.run_anew, "key", slow, patience=PATIENCE) for _ in range(4)]
        while any(not one.running() for one in late):
            time.sleep(0.001)
        time.sleep(0.05)  # until they wait for the first call

        slow.may_end.set()

        assert first.result(5) == 1
        assert 1 not in [one.result(5) for one in late]
