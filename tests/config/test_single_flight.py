"""One call for everybody who asks at the same time."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from config.lib.provider_calls import SingleFlight

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


def test_run_does_the_work_each_time_when_alone():
    flight = SingleFlight()

    results = [
        flight.run("key", lambda number=number: number, patience=PATIENCE) for number in (1, 2)
    ]

    assert results == [1, 2]


@pytest.mark.concurrency
def test_run_keeps_other_keys_apart():
    flight, slow = SingleFlight(), Work()
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(flight.run, "a", slow, patience=PATIENCE)
        assert slow.began.wait(5)

        other = flight.run("b", lambda: "other", patience=PATIENCE)

        slow.may_end.set()
        assert (first.result(5), other) == (1, "other")


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
