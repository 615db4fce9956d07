"""docs/monitoring: what dashboard and alerts ask for is what the service tells."""

import json
import re
import subprocess
import sys
from importlib import import_module

import pytest
import yaml
from django.core.exceptions import ImproperlyConfigured
from django.utils import timezone
from prometheus_client import REGISTRY, CollectorRegistry
from prometheus_client.multiprocess import MultiProcessCollector

from bookings.work.metrics import ServiceCollector, list_queues
from bookings.work.sweeps import SWEEPS
from config.monitoring.counting import share_counts
from tests.processes import ROOT

MONITORING = ROOT / "docs" / "monitoring"
NAME = re.compile(r"\bclasses_[a-z_]+")
SELECTOR = re.compile(r"(classes_[a-z_]+)\{([^}]*)\}")
LABEL = re.compile(r'(\w+)(?:=~|!~|!=|=)"([^"]*)"')
# Who counts as it happens; some are loaded no sooner than they are used.
COUNTING = (
    "config.monitoring.request_log",
    "accounts.sign_in.adapters",
    "bookings.payments.mercadopago.client",
    "calendar_sync.google.transport",
)
# Prometheus' own, on everything that it reads.
ITS_OWN = {"job", "instance", "le"}

pytestmark = pytest.mark.django_db


def dashboard():
    return json.loads((MONITORING / "grafana.json").read_text())


def panels():
    return [panel for panel in dashboard()["panels"] if panel["type"] != "row"]


def rules():
    return yaml.safe_load((MONITORING / "alerts.yml").read_text())["groups"][0]["rules"]


def expressions():
    asked = [target["expr"] for panel in panels() for target in panel["targets"]]
    return asked + [rule["expr"] for rule in rules()]


def told():
    """Give the labels of every figure that the service tells, by its name."""
    service = CollectorRegistry()
    service.register(ServiceCollector())
    found = {}
    for family in service.collect():
        found.setdefault(family.name, set())
        for sample in family.samples:
            found[family.name] |= sample.labels.keys()
    for module in COUNTING:
        import_module(module)
    for name, collector in REGISTRY._names_to_collectors.items():
        if name.startswith("classes_"):
            found[name] = set(getattr(collector, "_labelnames", ()))
    return found


def test_every_figure_that_is_asked_for_is_told():
    asked = {name for text in expressions() for name in NAME.findall(text)}

    assert asked - told().keys() == set()


def test_labels_are_those_of_their_figures():
    known = told()
    values = {"queue": set(list_queues(timezone.now())), "sweep": {run.__name__ for run in SWEEPS}}
    for text in expressions():
        for name, selector in SELECTOR.findall(text):
            for label, value in LABEL.findall(selector):
                assert label in known[name] | ITS_OWN
                if label in values:
                    assert set(value.split("|")) <= values[label]


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
