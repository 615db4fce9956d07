"""config/monitoring/request_log.py: an id, a line and a figure for each request."""

import contextlib
import json
import logging
import re
from io import StringIO
from threading import Thread

import pytest
from django.test import Client
from prometheus_client import REGISTRY

from config.lib.background_jobs import BackgroundJob, tagged, work_tags
from config.monitoring.logs import JSONFormatter, PlainFormatter
from tests.config.test_logs import CODE

pytestmark = pytest.mark.django_db


@pytest.fixture
def console():
    """The handler that prints the service's lines, into a stream of its own."""
    (handler,) = (one for one in logging.root.handlers if one.name == "console")
    stream, formatter = handler.setStream(StringIO()), handler.formatter
    yield handler
    handler.setStream(stream)
    handler.setFormatter(formatter)


@pytest.fixture
def lines(console):
    """The lines of the requests since the last call."""
    console.setFormatter(JSONFormatter())

    def read():
        text = console.setStream(StringIO()).getvalue()
        printed = [json.loads(line) for line in text.splitlines()]
        return [line for line in printed if line["logger"] == "access"]

    return read


def test_request_gets_an_id_of_its_own(client):
    first, second = (client.get("/api/auth/csrf")["X-Request-ID"] for _ in range(2))

    assert re.fullmatch("[0-9a-f]{16}", first)
    assert first != second


@pytest.mark.parametrize(
    ("given", "proxies", "is_taken"),
    [
        ("4bf92f35-77b3.4da6", 1, True),
        ("4bf92f35-77b3.4da6", 0, False),
        ("short", 1, False),
        ("a" * 65, 1, False),
        ("with space x", 1, False),
        ('"quoted","x":"', 1, False),
        ("ñandú-ñandú", 1, False),
        ("", 1, False),
    ],
)
def test_id_of_a_trusted_proxy_is_kept(client, settings, given, proxies, is_taken):
    settings.TRUSTED_PROXIES = proxies

    answered = client.get("/api/auth/csrf", headers={"X-Request-ID": given})["X-Request-ID"]

    assert (answered == given) is is_taken


@pytest.mark.parametrize("path", ["/nowhere", "/static/nothing.css", "/inicio", "/healthz"])
def test_every_answer_has_an_id(client, path):
    assert client.get(path)["X-Request-ID"]


def test_line_names_route_person_and_outcome_but_no_path(sign_in, student, lines):
    client = sign_in(student)
    lines()

    response = client.get(f"/inicio/unirse/{CODE}?x=secret")

    (line,) = lines()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", line.pop("time"))
    ms = line.pop("ms")
    assert line == {
        "level": "INFO",
        "logger": "access",
        "message": f"GET /inicio/unirse/<str:access_code> {response.status_code} {ms:.0f} ms",
        "request_id": response["X-Request-ID"],
        "method": "GET",
        "route": "inicio/unirse/<str:access_code>",
        "status": response.status_code,
        "user_id": str(student.pk),
    }


def test_plain_line(client, console):
    console.setFormatter(PlainFormatter())

    request_id = client.get("/api/auth/csrf")["X-Request-ID"]

    line = console.stream.getvalue()
    ending = rf" INFO access \[{request_id}\]: GET /api/auth/csrf 200 \d+ ms\n"
    assert re.fullmatch(rf"\S+ \S+{ending}", line)


def test_file_has_no_line(client, lines):
    with contextlib.closing(client.get("/static/css/base.css")) as response:
        assert response.status_code == 200
    assert client.get("/static/nowhere.css").status_code == 404

    assert lines() == []


def test_probe_has_no_line_unless_it_fails_the_service(client, lines):
    client.get("/readyz")
    client.get("/healthz")

    assert [line["route"] for line in lines()] == ["healthz"]


def test_what_is_logged_meanwhile_names_the_request(monkeypatch, caplog):
    seen = []
    monkeypatch.setattr(
        "bookings.pages.joining.list_providers",
        lambda *_: seen.append(dict(work_tags.get())) or [],
    )

    response = Client().get(f"/inicio/unirse/{CODE}")

    assert seen[0] == {"request_id": response["X-Request-ID"]}
    assert work_tags.get() == {}


LABELS = {"method": "GET", "route": "api/auth/csrf", "status": "200"}


def figure(name, **labels):
    return REGISTRY.get_sample_value(f"classes_http_request_seconds_{name}", LABELS | labels) or 0


def test_request_is_counted_by_route_and_status(client):
    before = figure("count")

    for _ in range(3):
        client.get("/api/auth/csrf")

    assert figure("count") == before + 3
    assert figure("sum") > 0


def test_thread_of_a_request_says_whose_it_is():
    seen = []
    threads = []
    errand = BackgroundJob("courier", lambda: seen.append(dict(work_tags.get())))

    with tagged(request_id="abc"), pytest.MonkeyPatch.context() as patch:
        start = Thread.start
        patch.setattr(Thread, "start", lambda self: threads.append(self) or start(self))
        errand.call()
    for thread in threads:
        thread.join()

    assert seen == [{"request_id": "abc"}]


def test_sweep_has_a_run_id(caplog):
    from bookings.work.sweeps import run_sweep

    seen = []

    def broken():
        seen.append(dict(work_tags.get()))
        raise RuntimeError("a bug")

    with caplog.at_level(logging.ERROR):
        run_sweep(broken)

    assert seen[0].keys() == {"run_id", "sweep"}
    assert seen[0]["sweep"] == "broken"
