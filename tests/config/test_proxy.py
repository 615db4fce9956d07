"""config/deploy/nginx: the shipped proxy before the shipped server, where nginx is installed."""

import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
import requests

from tests.api.test_real_server import PRODUCTION
from tests.processes import ROOT, stop, web_server

NGINX = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
SHIPPED = ROOT / "config" / "deploy" / "nginx"
FOLDERS = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
FRAME = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log crit;
events {{ worker_connections 256; }}
http {{
    {temporary}
    include {shipped}/http.conf;
    access_log {folder}/access.log classes;
    upstream classes {{
        server {service};
    }}
    server {{
        listen 127.0.0.1:{port};
        root {shipped};
        include {shipped}/server.conf;
    }}
}}
"""
CODE = "7K2M9QXA"
pytestmark = pytest.mark.skipif(NGINX is None, reason="nginx is not installed")


@contextmanager
def proxy(folder, service_url):
    """Run nginx with the shipped configuration in front of a service; yield its address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    configuration = folder / "nginx.conf"
    configuration.write_text(
        FRAME.format(
            folder=folder,
            temporary=" ".join(f"{name}_temp_path {folder}/{name};" for name in FOLDERS),
            shipped=SHIPPED,
            service=urlsplit(service_url).netloc,
            port=port,
        )
    )
    command = [NGINX, "-c", configuration, "-e", folder / "start.log"]
    process = subprocess.Popen(command, start_new_session=True)
    try:
        wait_until_open(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        stop(process)


def wait_until_open(port):
    deadline = time.monotonic() + 20
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.05)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("proxy")


@pytest.fixture(scope="module")
def server(folder):
    """The service as in production, but for https, that believes one proxy."""
    with web_server(folder, **PRODUCTION, TRUSTED_PROXIES="1") as server:
        yield server


@pytest.fixture(scope="module")
def front(folder, server):
    """The proxy's address. The service knows itself by another port."""
    with proxy(folder, server.url) as url:
        yield url


def test_proxy_refuses_a_large_body(front):
    response = requests.post(f"{front}/api/calendar", b"x" * 1024 * 129, timeout=20)

    assert (response.status_code, response.json()) == (
        413,
        {"error": "El cuerpo es demasiado grande."},
    )


def test_proxy_logs_neither_code_nor_query(front, folder):
    log = folder / "access.log"

    requests.get(f"{front}/inicio/unirse/{CODE}?code=secret", timeout=20)

    for _ in range(100):  # nginx writes after it has answered
        if "GET /inicio/unirse" in log.read_text():
            break
        time.sleep(0.02)
    assert '"GET /inicio/unirse/***" ' in log.read_text()
    assert CODE not in log.read_text()
    assert "secret" not in log.read_text()


def test_proxy_passes_on_nothing_that_a_sender_claims(front, server):
    claims = {
        "X-Forwarded-Proto": "https",
        "X-Forwarded-Host": "evil.example",
        "X-Forwarded-For": "203.0.113.9",
        "Forwarded": "host=evil.example",
    }

    response = requests.get(f"{front}/api/auth/providers", headers=claims, timeout=20)

    assert response.status_code == 200
    assert response.json()["google"]["signinUrl"].startswith(server.url)


def test_proxy_shows_people_a_page_and_programs_json_while_the_service_is_away(folder):
    with proxy(folder, "http://127.0.0.1:9") as url:  # nobody listens there
        page = requests.get(f"{url}/mis-clases", timeout=20)
        program = requests.get(f"{url}/api/calendar", timeout=20)

    assert (page.status_code, page.headers["Retry-After"]) == (503, "10")
    assert "Volvemos en un momento" in page.content.decode()
    assert (program.status_code, program.headers["Retry-After"]) == (503, "10")
    assert "error" in program.json()
