"""config/lib/provider_calls.py: a few threads wait for the provider, the others stay free."""

import threading
import time
from contextlib import contextmanager, suppress
from datetime import timedelta

import pytest

from config.lib.provider_calls import ProviderBusyError, ProviderGuard

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


def test_enter_lets_in_as_many_as_there_are_places():
    guard = ProviderGuard(SHORT)

    with somebody_inside(guard, places=2), guard.enter(2):
        refusal_seconds(guard, places=2)


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


def test_enter_has_people_wait_again_once_somebody_was_quick():
    guard = ProviderGuard(timedelta(seconds=0.2))
    with somebody_inside(guard, places=1):
        refusal_seconds(guard, places=1)
        time.sleep(0.1)

    with guard.enter(1):
        pass
    with somebody_inside(guard, places=1):
        assert refusal_seconds(guard, places=1) >= 0.2


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
