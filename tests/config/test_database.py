"""The database connections: their limits, a pooler, and a server that gets none."""

from urllib.parse import urlsplit, urlunsplit

import pytest
import requests
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models.signals import post_migrate

from bookings.checks import check_connections
from bookings.management.commands import migrate
from tests.api.database_faults import failing
from tests.config.environments import development
from tests.processes import database_url, web_server

TCP = {
    "tcp_user_timeout": 8_000,
    "keepalives_idle": 5,
    "keepalives_interval": 3,
    "keepalives_count": 2,
}
on_postgresql = pytest.mark.skipif("connection.vendor != 'postgresql'")
pytestmark = pytest.mark.django_db


def database_of(url):
    """Give the settings that the service makes of an address."""
    return development(DATABASE_URL=url).DATABASES["default"]


def setting(name):
    with connection.cursor() as cursor:
        cursor.execute(f"SHOW {name}")
        return cursor.fetchone()[0]


def test_address_completes_the_options_and_wins():
    url = "postgres://db.example/classes?sslmode=require&connect_timeout=2&conn_max_age=0"

    database = database_of(f"{url}&options=-c%20statement_timeout%3D60s")

    assert database["CONN_MAX_AGE"] == 0
    assert database["OPTIONS"] == TCP | {
        "sslmode": "require",
        "connect_timeout": 2,
        "options": "-c statement_timeout=15s -c lock_timeout=5s -c statement_timeout=60s",
    }


def test_connection_to_a_machine_that_vanished_ends_within_seconds():
    database = database_of("postgres://db.example/classes?keepalives_idle=60")

    assert database["OPTIONS"] == TCP | {
        "connect_timeout": 5,
        "keepalives_idle": 60,
        "options": "-c statement_timeout=15s -c lock_timeout=5s",
    }


@on_postgresql
def test_statement_has_a_limit():
    assert (setting("statement_timeout"), setting("lock_timeout")) == ("15s", "5s")


@on_postgresql
def test_migration_has_none():
    seen = []

    def look(**kwargs):
        seen.append((setting("statement_timeout"), setting("lock_timeout")))

    post_migrate.connect(look)
    call_command("migrate", verbosity=0)
    post_migrate.disconnect(look)

    assert set(seen) == {("0", "5s")}
    assert setting("statement_timeout") == "15s"


@on_postgresql
def test_check_minds_a_connection_without_limits():
    execute("SET statement_timeout = 0", "SET lock_timeout = 0")

    assert [message.id for message in check_connections(None)] == ["bookings.W004"]
    execute("RESET statement_timeout", "RESET lock_timeout")


@on_postgresql
def test_migrations_want_postgresql_s_own_address(monkeypatch):
    monkeypatch.setattr(migrate, "leads_through_pooler", lambda connection: True)

    with pytest.raises(CommandError, match="DATABASE_URL leads through a pooler"):
        call_command("migrate")


@on_postgresql
def test_check_says_that_the_database_did_not_answer():
    with failing():
        assert [message.id for message in check_connections(None)] == ["bookings.I001"]


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
    execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{ROLE}'")  # noqa: S608
    yield
    execute(f"ALTER ROLE {ROLE} CONNECTION LIMIT -1")


def get(server, path, client):
    cookies = {name: cookie.value for name, cookie in client.cookies.items()}
    headers = {"Host": "localhost"}
    return requests.get(server.url + path, headers=headers, cookies=cookies, timeout=20)


@on_postgresql
@pytest.mark.django_db(transaction=True)
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
