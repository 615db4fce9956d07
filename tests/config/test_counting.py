"""config/monitoring/counting.py: the figures of several processes, in one directory."""

import subprocess
import sys

import pytest
from django.core.exceptions import ImproperlyConfigured
from prometheus_client import CollectorRegistry
from prometheus_client.multiprocess import MultiProcessCollector

from config.monitoring.counting import share_counts
from tests.processes import ROOT

# Another container has another name, and may have the same process ids.
COUNT = """
import os, socket, sys
host, directory = sys.argv[1:]
socket.gethostname, os.getpid = lambda: host, lambda: 7
from config.monitoring.counting import share_counts
share_counts(directory)
from prometheus_client import Counter
Counter("jobs", "Jobs.").inc()
"""


def test_processes_of_two_containers_add_up(tmp_path):
    for host in ("web", "worker", "web"):
        command = [sys.executable, "-c", COUNT, host, str(tmp_path)]
        subprocess.run(command, cwd=ROOT, check=True)

    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(tmp_path))
    assert registry.get_sample_value("jobs_total") == 3
    files = sorted(file.name for file in tmp_path.glob("*.db"))
    assert files == ["counter_web-7.db", "counter_worker-7.db"]


def test_directory_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(ImproperlyConfigured, match="PROMETHEUS_MULTIPROC_DIR"):
        share_counts(str(tmp_path / "missing"))
