"""A server that loses its connections to PostgreSQL, and one that gets none."""

from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit, urlunsplit

import pytest
import requests
from django.db import connection

from tests.processes import database_url, web_server

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("connection.vendor != 'postgresql'"),
]
ROLE = "of_the_server"
# The demo's: no page for developers, and no files that only collectstatic makes.
SITE = {"DEBUG": "false", "DEMO": "true", "BASE_URL": "http://localhost"}


def execute(*statements):
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


@pytest.fixture(scope="module")
def server(django_db_setup, django_db_blocker, tmp_path_factory):
    """A web server with a role of its own."""
    parts = urlsplit(database_url())
    address = parts.netloc.rpartition("@")[2]
    url = urlunsplit(parts._replace(netloc=f"{ROLE}@{address}"))
    with django_db_blocker.unblock():
        execute(f"CREATE ROLE {ROLE} LOGIN", f"GRANT ALL ON ALL TABLES IN SCHEMA public TO {ROLE}")
    try:
        with web_server(tmp_path_factory.mktemp("server"), DATABASE_URL=url, **SITE) as web:
            yield web
    finally:
        with django_db_blocker.unblock():
            execute(f"DROP OWNED BY {ROLE}", f"DROP ROLE {ROLE}")


@pytest.fixture
def without_connections(server):
    """The role may open no connection, as beyond ``max_connections``."""
    execute(f"ALTER ROLE {ROLE} CONNECTION LIMIT 0")
    end_connections()
    yield
    execute(f"ALTER ROLE {ROLE} CONNECTION LIMIT -1")


def end_connections():
    """End the server's connections; return how many there were."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s", [ROLE]
        )
        return len(cursor.fetchall())


def get(server, path, client):
    cookies = {name: cookie.value for name, cookie in client.cookies.items()}
    headers = {"Host": "localhost"}
    return requests.get(server.url + path, headers=headers, cookies=cookies, timeout=20)


def test_server_survives_the_loss_of_every_connection(server):
    def ask(number):
        return requests.post(
            f"{server.url}/api/calendar",
            json={"preferenceId": f"unknown-{number}"},
            headers={"Host": "localhost"},
            timeout=20,
        ).status_code

    with ThreadPoolExecutor(8) as everybody:
        before = list(everybody.map(ask, range(40)))
        lost = end_connections()
        after = list(everybody.map(ask, range(40)))

    assert lost > 1
    assert set(before + after) == {404}


@pytest.mark.usefixtures("without_connections")
def test_without_a_connection_people_and_programs_are_told_to_come_back(
    server, sign_in, host, settings
):
    settings.BASE_URL = SITE["BASE_URL"]  # sessions name it
    client = sign_in(host)
    page = get(server, "/inicio/clases", client)
    session = get(server, "/api/auth/session", client)
    profile = get(server, "/api/user-data", client)

    assert (page.status_code, page.headers["Retry-After"]) == (503, "5")
    assert "Ahora no podemos atenderte" in page.text
    assert (session.status_code, session.headers["Retry-After"]) == (503, "5")
    assert session.json() == {
        "error": "Ahora no podemos atender este pedido. Probá de nuevo en unos segundos."
    }
    # Where another 500 is documented, it stays.
    assert (profile.status_code, profile.headers["Retry-After"]) == (500, "5")
    assert profile.json() == {"error": "No pudimos procesar tus datos."}
