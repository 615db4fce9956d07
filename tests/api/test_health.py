"""GET /healthz and /readyz: what a watcher is told, and how little it costs."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.db import connection

from bookings.domain.calendar.grant import note_refused_account
from bookings.models import CALENDAR, Heartbeat
from bookings.work.sweeps import SWEEPS, sweep
from tests.api.database_faults import SECRET, failing

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)

pytestmark = pytest.mark.django_db


@pytest.fixture
def swept():
    """Every sweep ended well at noon."""
    with time_machine.travel(NOON, tick=False):
        sweep()


def ask(client, path="/healthz", at=NOON):
    with time_machine.travel(at, tick=False):
        response = client.get(path)
    return response.status_code, response.json()


def test_healthz_tells_how_long_ago_each_sweep_ended_well(client, swept):
    status, body = ask(client, at=NOON + timedelta(seconds=90))

    assert status == 200
    assert body == {
        "status": "ok",
        "database": "ok",
        "worker": "ok",
        "sweeps": {run.__name__: {"status": "ok", "age": 90} for run in SWEEPS},
    }


def test_stopped_worker_turns_healthz_red(client, swept):
    status, body = ask(client, at=NOON + timedelta(minutes=10))

    assert (status, body["status"], body["worker"], body["database"]) == (
        503,
        "failing",
        "failing",
        "ok",
    )
    assert body["sweeps"]["send_due_notices"] == {"status": "failing", "age": 600}


def test_heartbeat_from_the_future_turns_healthz_red(client, swept):
    """A clock was a day ahead, and is right again: nobody knows when a sweep last ended well."""
    status, body = ask(client, at=NOON - timedelta(days=1))

    assert (status, body["worker"]) == (503, "failing")
    assert {part["status"] for part in body["sweeps"].values()} == {"failing"}
    assert ask(client, "/readyz", at=NOON - timedelta(days=1))[1]["worker"] == "stopped"


def test_worker_that_never_ran_turns_healthz_red(client):
    status, body = ask(client)

    assert status == 503
    assert body["sweeps"]["send_due_notices"] == {"status": "failing", "age": None}


def test_sweep_that_only_fails_turns_healthz_red(client, swept):
    late = NOON - timedelta(minutes=10)
    Heartbeat.objects.filter(name="send_due_notices").update(
        beat_at=late, failed_at=NOON, failure=f"RuntimeError {SECRET}"
    )

    status, body = ask(client)

    failing_sweeps = [n for n, part in body["sweeps"].items() if part["status"] != "ok"]
    assert (status, failing_sweeps) == (503, ["send_due_notices"])
    assert SECRET not in str(body)


@pytest.mark.parametrize(("path", "queries"), [("/healthz", 1), ("/readyz", 4)])
def test_probe_costs_few_queries_and_no_session(
    sign_in, student, swept, path, queries, django_assert_num_queries
):
    with time_machine.travel(NOON, tick=False):
        client = sign_in(student)
        client.get(path)

        with django_assert_num_queries(queries):
            response = client.get(path)

    assert "no-store" in response["Cache-Control"]
    assert not response.cookies


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_probe_says_when_the_database_fails(client, path):
    with failing():
        status, body = ask(client, path)

    assert (status, body["status"], body["database"]) == (503, "failing", "failing")
    assert SECRET not in str(body)


@pytest.mark.skipif("connection.vendor != 'postgresql'")
def test_readyz_is_red_on_a_read_only_postgresql(client):
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL transaction_read_only = on")

    status, body = ask(client, "/readyz")

    assert (status, body["status"], body["database"]) == (503, "failing", "failing")


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif("connection.vendor != 'sqlite'")
def test_readyz_is_red_on_a_read_only_sqlite(client, monkeypatch):
    connection.close()
    file = f"file:{connection.settings_dict['NAME']}?mode=ro"
    monkeypatch.setitem(connection.settings_dict, "NAME", file)

    status, body = ask(client, "/readyz")

    connection.close()
    assert (status, body["status"], body["database"]) == (503, "failing", "failing")


READY = {
    "status": "ok",
    "database": "ok",
    "migrations": "ok",
    "worker": "ok",
    "calendar": "ok",
    "cache": "ok",
}


def test_readyz_names_what_the_service_needs(client, teacher, swept):
    assert ask(client, "/readyz") == (200, READY)


@pytest.mark.parametrize(
    ("minutes", "state"), [(0, "ok"), (60 * 24 + 1, "late"), (60 * 40, "stopped")]
)
def test_readyz_serves_without_a_worker(client, teacher, swept, minutes, state):
    at = NOON + timedelta(minutes=minutes)
    if state == "late":
        Heartbeat.objects.filter(name="send_due_notices").update(beat_at=at)

    status, body = ask(client, "/readyz", at=at)

    overall = "ok" if state == "ok" else "degraded"
    assert (status, body) == (200, READY | {"status": overall, "worker": state})


def test_readyz_says_that_the_grant_was_revoked(client, teacher, swept):
    teacher.provider_token_revoked_at = NOON
    teacher.save()

    status, body = ask(client, "/readyz")

    assert (status, body) == (200, READY | {"status": "degraded", "calendar": "revoked"})
    assert teacher.email not in str(body)


def test_readyz_says_that_the_service_account_is_refused(client, settings, swept):
    settings.CALENDAR_SERVICE_ACCOUNT = {"type": "service_account"}
    assert ask(client, "/readyz") == (200, READY)
    note_refused_account()

    status, body = ask(client, "/readyz")

    assert (status, body) == (200, READY | {"status": "degraded", "calendar": "revoked"})


def test_readyz_says_that_the_calendar_is_down(client, teacher, swept):
    Heartbeat.objects.update_or_create(
        name=CALENDAR, defaults={"paused_until": NOON, "failed_at": NOON}
    )

    assert ask(client, "/readyz")[1]["calendar"] == "down"


def test_readyz_is_red_until_every_migration_was_applied(client):
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'accounts'")

    assert ask(client, "/readyz") == (
        503,
        {
            "status": "failing",
            "database": "ok",
            "migrations": "missing",
            "worker": "unknown",
            "calendar": "unknown",
            "cache": "unknown",
        },
    )


def test_probe_is_not_sent_to_https(client, settings):
    settings.SECURE_SSL_REDIRECT = True

    assert client.get("/readyz").status_code == 200
    assert client.get("/inicio").status_code == 301
