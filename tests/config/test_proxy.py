"""config/deploy/nginx: the shipped proxy before the shipped server, where nginx is installed."""

import json
import os
import re
import socket
import subprocess
import time
from urllib.parse import urlsplit

import pytest
import requests

from config.web.errors import https_only
from tests.api.test_real_server import PRODUCTION
from tests.config.proxy import FRAME, SHIPPED, find_nginx, proxy
from tests.processes import web_server

pytestmark = pytest.mark.skipif(find_nginx() is None, reason="nginx is not installed")

TOO_LARGE = {"error": "El cuerpo es demasiado grande."}
CODE = "7K2M9QXA"


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


def raw(url, text):
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname, parts.port), timeout=20) as connection:
        connection.sendall(text.encode())
        return b"".join(iter(lambda: connection.recv(65_536), b"")).decode()


def wait_for_line(path, part):
    """Read a log once it says something: nginx writes after it has answered."""
    for _ in range(100):
        if part in path.read_text():
            break
        time.sleep(0.02)
    return path.read_text()


@pytest.mark.parametrize("kilobytes", [65, 127, 129, 4096])
@pytest.mark.parametrize("is_chunked", [True, False])
def test_proxy_or_service_refuses_a_large_body(front, kilobytes, is_chunked):
    body = b"x" * 1024 * kilobytes

    response = requests.post(
        f"{front}/api/calendar", iter([body]) if is_chunked else body, timeout=20
    )

    assert (response.status_code, response.json()) == (413, TOO_LARGE)


@pytest.mark.parametrize(("megabytes", "is_refused"), [(19, False), (21, True)])
def test_proxy_lets_a_photo_through_to_the_page_that_takes_one(front, megabytes, is_refused):
    response = requests.post(f"{front}/admin/pagina/", b"x" * 1024 * 1024 * megabytes, timeout=20)

    # The service of this test has no tables, so its own answer is another error.
    assert (response.status_code == 413) == is_refused
    assert ("La foto es demasiado grande" in response.text) == is_refused


def test_proxy_logs_neither_code_nor_query(front, folder):
    requests.get(f"{front}/inicio/unirse/{CODE}?code=secret", timeout=20)

    log = wait_for_line(folder / "access.log", "GET /inicio/unirse")
    assert '"GET /inicio/unirse/***" ' in log
    assert CODE not in log
    assert "secret" not in log


@pytest.mark.parametrize(
    ("path", "is_kept"), [("/api/webhooks/mercadopago", True), ("/api/calendar", False)]
)
def test_proxy_names_each_request_but_what_mercado_pago_signed(front, folder, path, is_kept):
    requests.post(f"{front}{path}", b"{}", headers={"X-Request-ID": "signed-id"}, timeout=20)

    line = wait_for_line(folder / "access.log", f'"POST {path}" ').split(f'"POST {path}" ')[-1]
    assert line.splitlines()[0].endswith("signed-id") == is_kept


def test_proxy_says_nothing_of_requests_in_its_error_log(front, folder):
    requests.post(f"{front}/inicio/unirse/{CODE}", b"x" * 200_000, timeout=20)

    assert CODE not in (folder / "error.log").read_text()


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


def test_proxy_cuts_off_an_unclear_request(front):
    head = f"POST /api/calendar HTTP/1.1\r\nHost: {urlsplit(front).netloc}\r\nConnection: close\r\n"

    answer = raw(front, f"{head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")

    assert answer.split()[1] == "400"


def test_proxy_answers_programs_in_json_while_the_service_is_away(folder):
    with proxy(folder, "http://127.0.0.1:9") as url:  # nobody listens there
        response = requests.get(f"{url}/api/calendar", timeout=20)

    assert response.status_code == 503
    assert response.headers["Retry-After"] == "10"
    assert "error" in response.json()


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_proxy_shows_people_a_page_while_the_service_is_away(folder, method):
    with proxy(folder, "http://127.0.0.1:9") as url:
        response = requests.request(method, f"{url}/mis-clases", timeout=20)
        style = requests.get(f"{url}/away/page.css", timeout=20)

    assert response.status_code == 503
    assert response.headers["Retry-After"] == "10"
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]
    assert "Volvemos en un momento" in response.content.decode()
    assert '"/away/page.css"' in response.text
    assert style.headers["Content-Type"] == "text/css; charset=utf-8"


@pytest.fixture(scope="module")
def plain(folder):
    """The address of what listens on port 80; the service itself never hears of it."""
    frame = FRAME.replace("server.conf", "plain.conf")
    with proxy(folder, "http://127.0.0.1:9", frame=frame) as url:
        yield f"{url}/api/calendar"


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_plain_http_leads_readers_to_https(plain, method):
    response = requests.request(method, plain, allow_redirects=False, timeout=20)

    assert response.status_code == 301
    assert response.headers["Location"] == "https://127.0.0.1/api/calendar"


@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_plain_http_refuses_writers_in_the_service_s_words(plain, method, rf):
    response = requests.request(method, plain, timeout=20)

    service = https_only(rf.post("/api/calendar"))
    assert response.status_code == service.status_code
    assert response.json() == json.loads(service.content)
    assert response.headers["Content-Type"] == service["Content-Type"]


def self_sign(path):
    """Write a certificate and its key into one file; nginx takes from it what it needs."""
    kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    name = ["-subj", "/CN=clases.example", "-keyout", path, "-out", path]
    command = ["openssl", "req", *kind, *name]
    subprocess.run(command, check=True, capture_output=True)


@pytest.mark.parametrize("name", ["machine.conf", "compose.conf"])
def test_shipped_configuration_is_well_formed(name, tmp_path):
    certificate = tmp_path / "certificate"
    self_sign(certificate)
    text = _adapt((SHIPPED / name).read_text(), tmp_path)
    (tmp_path / "nginx.conf").write_text(text)
    (tmp_path / "resolver.conf").write_text("resolver 127.0.0.11 valid=10s;")
    done = subprocess.run(
        [find_nginx(), "-t", "-c", tmp_path / "nginx.conf", "-e", tmp_path / "start.log"],
        check=False,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stderr


def test_proxy_asks_the_dns_servers_of_its_container(tmp_path):
    """Docker's is 127.0.0.11, Podman's the network's gateway, by IPv6 too."""
    (tmp_path / "nginx").write_text("#!/bin/sh\n")
    (tmp_path / "nginx").chmod(0o755)
    (tmp_path / "resolv.conf").write_text(
        "search dns.podman\nnameserver 10.89.0.1\nnameserver fd00::1\noptions ndots:0\n"
    )
    script = (SHIPPED / "start-proxy").read_text()
    script = re.sub("/(etc|tmp)/(?=resolv)", f"{tmp_path}/", script)
    (tmp_path / "start-proxy").write_text(script)

    command = ["/bin/sh", tmp_path / "start-proxy"]
    subprocess.run(command, check=True, env={"PATH": f"{tmp_path}:{os.environ['PATH']}"})

    written = (tmp_path / "resolver.conf").read_text()
    assert written == "resolver 10.89.0.1 [fd00::1] valid=10s ipv6=off;\n"


def _adapt(text, folder):
    """Put this machine's paths in, and take out what older versions of nginx do not know."""
    certificate = str(folder / "certificate")
    for shipped, here in {
        "/tmp/": f"{folder}/",  # noqa: S108 - the container's own
        "/srv/classes/config/deploy/nginx": str(SHIPPED),
        "/etc/nginx/classes": str(SHIPPED),
        "/etc/letsencrypt/live/classes/fullchain.pem": certificate,
        "/etc/letsencrypt/live/classes/privkey.pem": certificate,
        "/run/secrets/tls/fullchain.pem": certificate,
        "/run/secrets/tls/privkey.pem": certificate,
        "/var/log/nginx": str(folder),
        "/dev/stdout": f"{folder}/access.log",
        "/dev/stderr": f"{folder}/error.log",
        "web:8000 resolve": "127.0.0.1:8000",
        "http2 on;": "",
    }.items():
        text = text.replace(shipped, here)
    if "events {" in text:
        return text
    return f"pid {folder}/nginx.pid;\nevents {{}}\nhttp {{\n{text}\n}}"
