"""The database connections: how long they live, and how long a statement may take."""

import os
import socket

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.models.signals import post_migrate

from bookings.checks import check_connections
from tests.api.database_faults import failing
from tests.config.environments import development

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


@pytest.mark.parametrize("url", ["sqlite:///x.sqlite3", "postgres://db.example/classes"])
def test_connections_are_kept_and_looked_after(url):
    database = database_of(url)

    assert (database["CONN_MAX_AGE"], database["CONN_HEALTH_CHECKS"]) == (600, True)
    assert "pool" not in database["OPTIONS"]


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
def test_the_kernel_knows_when_to_give_a_silent_machine_up():
    connection.ensure_connection()
    with socket.socket(fileno=os.dup(connection.connection.fileno())) as wire:
        if wire.family == socket.AF_UNIX:
            pytest.skip("A connection by a Unix socket has no TCP options.")
        names = (socket.TCP_USER_TIMEOUT, socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL)
        found = [wire.getsockopt(socket.IPPROTO_TCP, name) for name in names]

    assert found == [8_000, 5, 3]


def test_options_end_where_the_limits_do():
    """PgBouncer refuses every connection whose options end in a space."""
    database = database_of("postgres://db.example/classes")

    assert database["OPTIONS"]["options"] == "-c statement_timeout=15s -c lock_timeout=5s"


@on_postgresql
def test_statement_has_a_limit():
    assert (setting("statement_timeout"), setting("lock_timeout")) == ("15s", "5s")


@on_postgresql
def test_later_option_wins():
    parameters = connection.get_connection_params()
    parameters["options"] += " -c statement_timeout=60s"

    with connection.get_new_connection(parameters) as other:
        row = other.execute("SELECT current_setting('statement_timeout')").fetchone()

    assert row == ("1min",)


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
def test_check_says_that_the_database_did_not_answer():
    with failing():
        assert [message.id for message in check_connections(None)] == ["bookings.I001"]
