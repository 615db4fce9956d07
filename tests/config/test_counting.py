"""config/monitoring/counting.py: the figures of several processes, in one directory."""

import subprocess
import sys

import pytest
from django.core.exceptions import ImproperlyConfigured
from prometheus_client import CollectorRegistry
from prometheus_client.multiprocess import MultiProcessCollector

from config.monitoring import counting
from config.monitoring.counting import WorkerSlot, share_counts
from tests.processes import ROOT

COUNT = """
import os, sys
from config.monitoring.counting import share_counts
share_counts(sys.argv[1])
from prometheus_client import Counter
jobs = Counter("jobs", "Jobs.")
jobs.inc()
child = os.fork()
jobs.inc()
if child:
    os.waitpid(child, 0)
"""


def count_in(directory):
    subprocess.run([sys.executable, "-c", COUNT, str(directory)], cwd=ROOT, check=True)


def total(directory):
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(directory))
    return registry.get_sample_value("jobs_total")


def test_processes_add_up_and_leave_no_more_files_each_time(tmp_path):
    for _ in range(2):
        count_in(tmp_path)

    assert total(tmp_path) == 6
    assert sorted(file.name for file in tmp_path.glob("*.db")) == ["counter_0.db", "counter_1.db"]


def test_place_is_its_process_s_own(tmp_path):
    first, second = WorkerSlot(tmp_path), WorkerSlot(tmp_path)

    assert (first(), second(), first()) == ("0", "1", "0")


def test_place_of_a_process_that_is_gone_is_taken_again(tmp_path):
    count_in(tmp_path)

    assert WorkerSlot(tmp_path)() == "0"


def test_lack_of_slots_is_an_error_that_share_counts_names(tmp_path, monkeypatch):
    monkeypatch.setattr(counting, "SLOTS", 1)
    first, second = WorkerSlot(tmp_path), WorkerSlot(tmp_path)
    first()

    with pytest.raises(OSError, match="No slot is free"):
        second()


def test_directory_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(ImproperlyConfigured, match="METRICS_DIRECTORY"):
        share_counts(str(tmp_path / "file" / "metrics"))
