"""config/lib/bulkhead.py: a few threads wait for the provider, the others stay free."""

import threading
import time
from contextlib import contextmanager
from datetime import timedelta

import pytest

from config.lib.bulkhead import Bulkhead, TooManyCallersError

pytestmark = pytest.mark.concurrency

SHORT = timedelta(seconds=0.05)
LONG = timedelta(seconds=5)


@contextmanager
def somebody_inside(bulkhead, *, places):
    """Have another thread inside for the block; gives what lets it leave earlier."""
    is_in, may_leave = threading.Event(), threading.Event()

    def stay():
        with bulkhead.enter(places):
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


def refusal_seconds(bulkhead, *, places):
    began = time.monotonic()
    with pytest.raises(TooManyCallersError), bulkhead.enter(places):
        pass
    return time.monotonic() - began


def test_enter_lets_in_as_many_as_there_are_places():
    bulkhead = Bulkhead(SHORT)

    with somebody_inside(bulkhead, places=2), bulkhead.enter(2):
        refusal_seconds(bulkhead, places=2)


def test_enter_waits_for_a_place():
    bulkhead = Bulkhead(LONG)

    with somebody_inside(bulkhead, places=1) as may_leave:
        threading.Timer(0.05, may_leave.set).start()
        with bulkhead.enter(1):
            pass


def test_enter_has_one_wait_in_vain_and_no_other():
    bulkhead = Bulkhead(timedelta(seconds=0.2))

    with somebody_inside(bulkhead, places=1):
        seconds = [refusal_seconds(bulkhead, places=1) for _ in range(3)]

    assert seconds[0] >= 0.2
    assert max(seconds[1:]) < 0.1


def test_enter_has_people_wait_again_once_somebody_was_quick():
    bulkhead = Bulkhead(timedelta(seconds=0.2))
    with somebody_inside(bulkhead, places=1):
        refusal_seconds(bulkhead, places=1)
        time.sleep(0.1)

    with bulkhead.enter(1):
        pass
    with somebody_inside(bulkhead, places=1):
        assert refusal_seconds(bulkhead, places=1) >= 0.2


def test_enter_gives_the_place_back_after_an_error():
    bulkhead = Bulkhead(SHORT)

    for _ in range(2):
        with pytest.raises(RuntimeError), bulkhead.enter(1):
            raise RuntimeError
