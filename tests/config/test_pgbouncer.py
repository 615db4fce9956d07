"""PgBouncer in transaction mode between the service and PostgreSQL, where a pgbouncer is found."""

import json
import os
import shutil
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests
from django.core.checks import run_checks
from django.core.management import CommandError, call_command
from django.db import ConnectionHandler, connection, connections

from tests.config.environments import development
from tests.processes import web_server

PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"  # where Debian puts it
PGBOUNCER = os.environ.get("PGBOUNCER") or shutil.which("pgbouncer", path=PATH)
HERE = "http://testserver"
LIMITED = "connect_query='SET statement_timeout = 15000; SET lock_timeout = 5000'"
POOLED = "?disable_server_side_cursors=true"

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("connection.vendor != 'postgresql'"),
    pytest.mark.skipif(not PGBOUNCER, reason="no pgbouncer is installed"),
]


@pytest.fixture
def pooled(tmp_path, request):
    """The address of the test's database through a pooler that has two connections for all."""
    with connection.cursor():
        info = connection.connection.info
    more = getattr(request, "param", LIMITED)
    target = {"host": info.host, "port": info.port, "dbname": info.dbname, "user": info.user}
    if info.password:
        target["password"] = info.password
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (tmp_path / "pgbouncer.ini").write_text(
        "[databases]\n"
        f"classes = {' '.join(f'{k}={v}' for k, v in target.items())} {more}\n"
        "[pgbouncer]\n"
        f"listen_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = any\n"
        "pool_mode = transaction\ndefault_pool_size = 2\nmax_client_conn = 100\n"
        "ignore_startup_parameters = options\n"
    )
    # PgBouncer refuses to run as root. A socket is in a folder that its owner alone may enter.
    owner = Path(info.host).owner() if info.host.startswith("/") else "nobody"
    as_other = ["-u", owner] if os.geteuid() == 0 else []
    with (tmp_path / "pgbouncer.log").open("wb") as log:
        process = subprocess.Popen(
            [str(PGBOUNCER), *as_other, str(tmp_path / "pgbouncer.ini")],
            stdout=log,
            stderr=log,
        )
    try:
        _wait_until_open(port)
        yield f"postgres://{info.user}@127.0.0.1:{port}/classes"
    finally:
        process.kill()  # asked to end, it would wait for its clients
        process.wait()


def _wait_until_open(port):
    deadline = time.monotonic() + 10
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.05)


@contextmanager
def connected_by(url):
    """Let this process reach its database by another address."""
    database = development(DATABASE_URL=url).DATABASES["default"]
    own, connections["default"] = (
        connections["default"],
        ConnectionHandler({"default": database})["default"],
    )
    try:
        yield
    finally:
        connections["default"].close()
        connections["default"] = own


def test_requests_side_by_side_share_two_connections(tmp_path, pooled, sign_in, host):
    client = sign_in(host)
    cookies = {name: cookie.value for name, cookie in client.cookies.items()}
    profile = {"location": "Rosario", "level": "", "phone": "", "newsletter": "no"}

    def ask(number):
        send = requests.get if number % 2 else requests.post
        answer = send(
            f"{server.url}/api/user-data",
            headers={"Host": "testserver"},
            cookies=cookies,
            data=None if number % 2 else json.dumps(profile),
            timeout=20,
        )
        return answer.status_code

    with (
        web_server(tmp_path, DATABASE_URL=pooled + POOLED, BASE_URL=HERE) as server,
        ThreadPoolExecutor(8) as everybody,
    ):
        statuses = list(everybody.map(ask, range(200)))

    assert set(statuses) == {200}


@pytest.mark.parametrize(
    ("pooled", "name", "found"),
    [(LIMITED, POOLED, []), ("", "", ["bookings.W004", "bookings.W005"])],
    indirect=["pooled"],
    ids=["named", "hidden"],
)
def test_check_minds_a_pooler_without_limits_that_the_address_does_not_name(pooled, name, found):
    with connected_by(pooled + name):
        said = run_checks(tags=["compatibility"], include_deployment_checks=True)

    assert [message.id for message in said] == found
    for message in said[:1]:
        assert message.msg.startswith("lock_timeout, statement_timeout: no limit is in force")


def test_migrations_want_postgresql_s_own_address(pooled):
    refused = pytest.raises(CommandError, match="DATABASE_URL leads through a pooler")

    with connected_by(pooled + POOLED), refused:
        call_command("migrate")
