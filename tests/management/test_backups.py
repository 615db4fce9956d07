"""manage.py backup and restore: everything is there again, or nothing was touched."""

import json
import os
import stat
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import connection, connections, transaction

from accounts.models import User
from bookings.domain.desk.own_page import encode_photo, load_teacher_page, set_photo
from bookings.management import backups
from tests.factories import UserFactory, VirtualClassFactory, draw_photo
from tests.postgres import find_programs

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module", autouse=True)
def _programs(django_db_setup, django_db_blocker):
    """Have pg_dump and pg_restore in the server's own version."""
    if connection.vendor == "sqlite":
        yield
        return
    with django_db_blocker.unblock():
        connection.ensure_connection()
        major = connection.pg_version // 10_000
    folder = find_programs(major)
    if folder is None:
        pytest.skip(f"There is no pg_dump {major}.")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
        yield


@pytest.fixture(scope="module")
def other_database(django_db_setup, django_db_blocker, tmp_path_factory):
    """Another database of the same engine; making one takes PostgreSQL seconds."""
    if connection.vendor == "sqlite":
        yield str(tmp_path_factory.mktemp("other") / "empty.sqlite3")
        return
    name = f"{connection.settings_dict['NAME']}_empty"
    with django_db_blocker.unblock():
        execute(f'DROP DATABASE IF EXISTS "{name}"')
        execute(f'CREATE DATABASE "{name}" TEMPLATE template0')
    yield name
    with django_db_blocker.unblock():
        execute(f'DROP DATABASE "{name}"')


@pytest.fixture
def elsewhere(other_database):
    """Switch to an empty database of the same engine while a block runs."""
    if connection.vendor == "sqlite":
        Path(other_database).unlink(missing_ok=True)
    else:
        with using(other_database):
            execute("DROP SCHEMA public CASCADE")
            execute("CREATE SCHEMA public")
    return lambda: using(other_database)


@contextmanager
def using(name):
    usual = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = name
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = usual


def execute(sql):
    with connection.cursor() as cursor:
        cursor.execute(sql)


def content():
    """Give every row of every table."""
    tables = {}
    with connection.cursor() as cursor:
        for name in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{name}"')  # noqa: S608
            tables[name] = sorted(map(repr, cursor.fetchall()))
    return tables


def run(command, *arguments, capsys):
    call_command(command, *map(str, arguments))
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def copy(tmp_path, capsys):
    """A backup of two classes and the teacher's photo."""
    set_photo(draw_photo())
    VirtualClassFactory.create_batch(2, scheduled=True, booked_by__name='Ñandú\n\\.\t"x"')
    run("backup", tmp_path / "copy", capsys=capsys)
    return tmp_path / "copy"


def test_everything_is_there_again(copy, elsewhere, capsys):
    before = content()

    with elsewhere():
        report = run("restore", copy, capsys=capsys)
        after = content()
        photo = default_storage.open(load_teacher_page().photo.name).read()

    assert after == before
    assert photo == encode_photo(draw_photo())[640]
    assert (report["missing_migrations"], report["unknown_migrations"]) == ([], [])


def test_backup_under_writes_holds_no_half_transaction(tmp_path, elsewhere):
    written, stop = Event(), Event()

    def write():
        number = 0
        while not stop.is_set():
            number += 1
            with transaction.atomic():
                UserFactory(email=f"a{number}@pairs.example")
                UserFactory(email=f"b{number}@pairs.example")
            written.set()
        connections.close_all()

    thread = Thread(target=write)
    thread.start()
    try:
        written.wait(10)
        call_command("backup", str(tmp_path / "copy"))
    finally:
        stop.set()
        thread.join()

    with elsewhere():
        call_command("restore", str(tmp_path / "copy"))
        pairs = User.objects.filter(email__endswith="@pairs.example").count()
    assert pairs >= 2
    assert pairs % 2 == 0


@pytest.fixture
def umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL keeps its own files.")
@pytest.mark.parametrize("command", ["restore", "migrate"])
def test_new_database_is_its_owner_s_alone(copy, elsewhere, umask, command):
    with elsewhere():
        call_command(command, *([copy] if command == "restore" else []), verbosity=0)
        execute("CREATE TABLE written (number integer)")
        name = connection.settings_dict["NAME"]
        modes = [stat.S_IMODE(os.stat(name + end).st_mode) for end in ("", "-wal", "-shm")]

    assert modes == [0o600] * 3  # the file, its log and the log's index
    assert os.umask(0o022) == 0o022


def test_backup_replaces_nothing_unasked(copy):
    before = copy.read_bytes()

    with pytest.raises(CommandError, match="exists"):
        call_command("backup", str(copy))
    assert copy.read_bytes() == before

    UserFactory()
    call_command("backup", str(copy), replace=True)
    assert copy.read_bytes() != before


def test_restore_replaces_nothing_unasked(copy):
    UserFactory(email="later@example.com")

    with pytest.raises(CommandError, match="not empty"):
        call_command("restore", str(copy))

    assert User.objects.filter(email="later@example.com").exists()


def test_restore_replaces_what_it_is_told_to(copy, elsewhere):
    with elsewhere():
        call_command("restore", str(copy))
        UserFactory(email="later@example.com")
        execute("CREATE TABLE of_a_newer_version (id integer)")

        call_command("restore", str(copy), replace=True)

        assert not User.objects.filter(email="later@example.com").exists()
        assert "of_a_newer_version" not in connection.introspection.table_names()


def test_file_of_no_use_loses_nothing(copy):
    whole, bad = copy.read_bytes(), copy.with_name("bad")
    UserFactory(email="later@example.com")

    for damaged in (whole[: len(whole) // 2], b"hello" * 999, b""):
        bad.write_bytes(damaged)
        with pytest.raises(CommandError):
            call_command("restore", str(bad), replace=True)

    assert User.objects.filter(email="later@example.com").exists()


@pytest.mark.parametrize(
    ("start", "complaint"),
    [
        (b"hello", "is no backup of this service."),
        (b"", "is no backup of this service."),
        (b"SQLite format 3\0", "comes from SQLite. Restore it there"),
        (b"PGDMP", "comes from PostgreSQL, and DATABASE_URL names SQLite."),
    ],
)
def test_a_wrong_file_gets_a_sentence(start, complaint, tmp_path):
    if start.startswith({"sqlite": b"SQLite", "postgresql": b"PGDMP"}[connection.vendor]):
        pytest.skip("That is this engine's own.")
    (tmp_path / "copy").write_bytes(start * 9)

    with pytest.raises(CommandError, match=complaint):
        call_command("restore", str(tmp_path / "copy"), replace=True)


def test_database_in_use_is_left_alone(copy, monkeypatch):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite waits for its lock.")
    monkeypatch.setattr(backups, "LOCK_TIMEOUT", "50ms")
    UserFactory(email="later@example.com")

    with transaction.atomic():
        assert User.objects.filter(email="later@example.com").exists()
        with pytest.raises(CommandError, match="lock timeout"):
            call_command("restore", str(copy), replace=True)

    assert User.objects.filter(email="later@example.com").exists()


def test_backup_of_a_newer_version_is_told(copy, elsewhere, tmp_path):
    with elsewhere():
        call_command("restore", str(copy))
        execute(
            "INSERT INTO django_migrations (app, name, applied) "
            "VALUES ('bookings', '9999_later', '2030-01-01')"
        )
        call_command("backup", str(tmp_path / "newer"))
        with pytest.raises(CommandError, match="newer version"):
            call_command("restore", str(tmp_path / "newer"), replace=True)


@pytest.mark.django_db
def test_password_is_in_no_argument(tmp_path, monkeypatch):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no password.")
    fake = tmp_path / "pg_dump"
    fake.write_text('#!/bin/sh\necho "$@" >&2\necho "$PGPASSWORD" | wc -c >&2\nexit 1\n')
    fake.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setitem(connection.settings_dict, "PASSWORD", "hunter22")

    with pytest.raises(CommandError) as caught:
        call_command("backup", str(tmp_path / "copy"))

    assert "hunter22" not in str(caught.value)
    assert str(caught.value).split()[-1] == "9"
    assert not (tmp_path / "copy").exists()
