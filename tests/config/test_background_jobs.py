"""config/lib/background_jobs.py: a job that fails once runs again when it is called again."""

from threading import Event, Thread

import pytest
from django.db import connections

from config.lib.background_jobs import BackgroundJob

SECONDS = 5


@pytest.fixture
def rounds():
    return []


def run_and_wait(job, monkeypatch):
    threads = []
    start = Thread.start
    with monkeypatch.context() as patch:
        patch.setattr(Thread, "start", lambda self: threads.append(self) or start(self))
        job.call()
    for thread in threads:
        thread.join(SECONDS)


@pytest.mark.parametrize("error", [RuntimeError, SystemExit])
def test_job_runs_again_after_its_work_failed(rounds, monkeypatch, error):
    def work():
        rounds.append(error)
        raise error

    job = BackgroundJob("job", work)
    for _ in range(2):
        run_and_wait(job, monkeypatch)

    assert len(rounds) == 2


def test_job_runs_again_after_its_connections_could_not_be_closed(rounds, monkeypatch):
    job = BackgroundJob("job", lambda: rounds.append(1))
    with monkeypatch.context() as patch:
        patch.setattr(connections, "close_all", lambda: 1 / 0)
        run_and_wait(job, monkeypatch)
    run_and_wait(job, monkeypatch)

    assert len(rounds) == 2


def test_caller_goes_on_if_no_thread_can_start(rounds, monkeypatch, caplog):
    is_done = Event()
    job = BackgroundJob("job", is_done.set)

    def refuse(self):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(Thread, "start", refuse)
        job.call()
    assert "There is no thread for job" in caplog.text

    job.call()
    assert is_done.wait(SECONDS)
