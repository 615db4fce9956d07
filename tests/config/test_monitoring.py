"""docs/monitoring: what dashboard and alerts ask for is what the service tells."""

import json
import re
from importlib import import_module

import pytest
import yaml
from django.utils import timezone
from prometheus_client import REGISTRY, CollectorRegistry

from bookings.work.metrics import ServiceCollector, list_queues
from bookings.work.sweeps import SWEEPS
from tests.processes import ROOT

MONITORING = ROOT / "docs" / "monitoring"
NAME = re.compile(r"\bclasses_[a-z_]+")
SELECTOR = re.compile(r"(classes_[a-z_]+)\{([^}]*)\}")
LABEL = re.compile(r'(\w+)(?:=~|!~|!=|=)"([^"]*)"')
# Who counts as it happens; some are loaded no sooner than they are used.
COUNTING = (
    "config.monitoring.request_log",
    "accounts.sign_in.adapters",
    "bookings.payments.mercadopago.metrics",
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


def test_every_figure_is_asked_for_and_explained():
    text = (ROOT / "docs" / "operations.md").read_text()
    asked = " ".join(expressions())
    whole = {re.sub("_(bucket|count|sum|created)$", "", name) for name in told()}

    assert {name for name in whole if name not in asked} == set()
    assert {name for name in whole if f"`{name}`" not in text} == set()
    assert set(NAME.findall(text)) - whole == set()


def test_labels_are_those_of_their_figures():
    known = told()
    values = {"queue": set(list_queues(timezone.now())), "sweep": {run.__name__ for run in SWEEPS}}
    for text in expressions():
        for name, selector in SELECTOR.findall(text):
            for label, value in LABEL.findall(selector):
                assert label in known[name] | ITS_OWN
                if label in values:
                    assert set(value.split("|")) <= values[label]


def test_every_alert_says_what_to_do_about_it():
    text = (ROOT / "docs" / "operations.md").read_text()
    names = [rule["alert"] for rule in rules()]

    assert len(names) == len(set(names))
    assert re.findall(r"^\| `(Classes\w+)`", text, re.MULTILINE) == names
    for rule in rules():
        assert rule["labels"]["severity"] in {"page", "ticket"}
        assert rule["annotations"]["summary"]


def test_example_reads_the_page_that_there_is(client, settings):
    settings.METRICS_TOKEN = "a-token-of-some-length"
    (job,) = yaml.safe_load((MONITORING / "prometheus.yml").read_text())["scrape_configs"]

    path = job.get("metrics_path", "/metrics")  # what Prometheus asks unless told otherwise
    headers = {"Authorization": f"Bearer {settings.METRICS_TOKEN}"}
    assert client.get(path, headers=headers).status_code == 200
    assert 'job="classes"' in rules()[0]["expr"]
    assert job["job_name"] == "classes"
