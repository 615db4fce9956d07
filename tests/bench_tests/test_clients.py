"""What the load tools send, and how what came of it is read."""

import http.server
import json
import threading

import pytest

from tests.bench.burst import burst
from tests.bench.clients import Load, Request, fetch, load_tool, send_load


class Echo(http.server.BaseHTTPRequestHandler):
    """Answers 200, or 409 to a body that says so."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer(200)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(json.loads(body))

    def _answer(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def url():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


MIX = [Request("POST", "/", "200"), Request("POST", "/", "409"), Request("GET", "/")]


@pytest.mark.parametrize("path", ["/nowhere", None], ids=["own threads", "wrk, if there is one"])
def test_load_counts_every_status(url, path, monkeypatch):
    if path:
        monkeypatch.setenv("PATH", path)

    load = send_load(url, MIX, seconds=1, clients=2)

    assert load.failures == 0
    assert set(load.statuses) == {200, 409}
    assert load.statuses[200] / load.answers == pytest.approx(2 / 3, abs=0.1)
    assert 0 < load.p50_ms <= load.p99_ms


def test_the_load_tool_is_told(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")

    assert "not installed" in load_tool()


def test_rate_of_a_load():
    assert Load(2.0, 1.0, 2.0, 0, {200: 6, 409: 4}).per_second == 5.0


def test_a_burst_has_an_answer_for_each(url):
    outcome = burst(url, MIX * 5)

    assert outcome.statuses == {200: 10, 409: 5}
    assert outcome.drained == outcome.took[-1]


def test_fetch_gives_status_and_headers(url):
    status, headers = fetch(url, MIX[1])

    assert (status, headers["Content-Length"]) == (409, "2")
