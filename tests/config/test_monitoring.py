"""docs/monitoring: what dashboard and alerts ask for is what the service tells."""

import json
import re
import subprocess
import sys
from importlib import import_module

import pytest
import yaml
from django.core.exceptions import ImproperlyConfigured
from prometheus_client import REGISTRY, CollectorRegistry
from prometheus_client.multiprocess import MultiProcessCollector

from bookings.work.metrics import ServiceCollector
from config.monitoring.counting import share_counts
from tests.processes import ROOT

MONITORING = ROOT / "docs" / "monitoring"
NAME = re.compile(r"\bclasses_[a-z_]+")
SUFFIX = re.compile("_(bucket|count|sum|total|created)$")
# Who counts as it happens; some are loaded no sooner than they are used.
COUNTING = (
    "config.monitoring.request_log",
    "accounts.sign_in.adapters",
    "bookings.payments.mercadopago.client",
    "calendar_sync.google.transport",
)

pytestmark = pytest.mark.django_db


def expressions():
    """List what the dashboard and the alerts ask for."""
    panels = json.loads((MONITORING / "grafana.json").read_text())["panels"]
    asked = [target["expr"] for panel in panels for target in panel.get("targets", ())]
    [group] = yaml.safe_load((MONITORING / "alerts.yml").read_text())["groups"]
    return asked + [rule["expr"] for rule in group["rules"]]


def test_every_figure_that_is_asked_for_is_told():
    asked = {SUFFIX.sub("", name) for text in expressions() for name in NAME.findall(text)}
    service = CollectorRegistry()
    service.register(ServiceCollector())
    for module in COUNTING:
        import_module(module)

    told = {family.name for registry in (service, REGISTRY) for family in registry.collect()}

    assert asked - told == set()


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
