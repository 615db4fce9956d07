"""The pause after a failure of the cache: one asks, and who asks next knows what came of it."""

from datetime import timedelta

from config.lib.redis_cache import Outage

LONG, NONE = timedelta(minutes=1), timedelta()


def test_everybody_asks_until_something_fails():
    outage = Outage(LONG)

    assert [outage.may_ask() for _ in range(2)] == [True, True]


def test_nobody_asks_during_the_pause():
    outage = Outage(LONG)
    outage.begin(OSError())

    assert [outage.may_ask() for _ in range(2)] == [False, False]


def test_after_the_pause_one_asks_and_the_others_do_not_wait_for_it():
    outage = Outage(NONE)
    outage.begin(OSError())
    outage._pause = LONG.total_seconds()

    assert [outage.may_ask() for _ in range(3)] == [True, False, False]


def test_an_answer_ends_it():
    outage = Outage(LONG)
    outage.begin(OSError())
    outage.end()

    assert outage.may_ask()


def test_a_failure_is_told_once_in_a_pause_however_often_it_comes_and_goes(caplog):
    outage = Outage(LONG)
    for _ in range(3):
        outage.begin(ConnectionError("redis://:s3cret@host"))
        outage.end()

    assert caplog.text.count("The cache does not answer: ConnectionError") == 1
    assert "s3cret" not in caplog.text
