"""manage.py move-to: from SQLite to PostgreSQL with every row, or with none."""

import io
import json
import shutil
from pathlib import Path

import pytest
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.core.management import CommandError, call_command
from django.db import connection, connections
from django.db.migrations.recorder import MigrationRecorder

from accounts.models import User
from bookings.domain.desk.own_page import set_photo
from bookings.models import StoredFile, VirtualClass
from tests.emptying import empty_database
from tests.factories import UserFactory, VirtualClassFactory, draw_photo
from tests.processes import database_url, run_forked

pytestmark = pytest.mark.django_db(transaction=True)
# Every row of them is its own data; `migrate` writes the others.
LEFT_OUT = ("contenttypes", "auth.permission")


@pytest.fixture(scope="module")
def source(django_db_setup, django_db_blocker, tmp_path_factory):
    """A filled SQLite database, an empty "..._tables" beside the test's own, and a report.

    The report is of moving the one into the other, which had no tables; it was emptied afterwards.
    """
    if connection.vendor == "sqlite":
        pytest.skip("The new database is PostgreSQL.")
    folder = tmp_path_factory.mktemp("moving")
    with django_db_blocker.unblock():
        recreate("tables", "template0")
        database, report = folder / "old.sqlite3", folder / "report.json"
        assert run_forked(on_sqlite, fill_and_move, address("tables"), database, report) == 0
        yield database, json.loads(report.read_text())
        drop("tables")


@pytest.fixture
def moved(source, tmp_path):
    """Run a function with a copy of the source and a new database; return what it returns.

    is_empty: the new database has no tables.
    """

    def run(work, *, is_empty=False):
        database, _ = source
        shutil.copy(database, tmp_path / "old.sqlite3")
        recreate("moved", "template0" if is_empty else name_of("tables"))
        report = tmp_path / "report.json"
        code = run_forked(on_sqlite, work, address("moved"), tmp_path / "old.sqlite3", report)
        assert code == 0
        return json.loads(report.read_text())

    yield run
    drop("moved")


def name_of(end: str) -> str:
    return f"{connection.settings_dict['NAME']}_{end}"


def address(end: str) -> str:
    return database_url().replace(connection.settings_dict["NAME"], name_of(end))


def recreate(end: str, template: str) -> None:
    drop(end)
    with connection.cursor() as cursor:
        cursor.execute(f'CREATE DATABASE "{name_of(end)}" TEMPLATE "{template}"')


def drop(end: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f'DROP DATABASE IF EXISTS "{name_of(end)}"')


def on_sqlite(work, url: str, database: Path, report: Path) -> None:
    del connections["default"]
    connections.databases["default"].update(
        ENGINE="django.db.backends.sqlite3", NAME=str(database), OPTIONS={}
    )
    report.write_text(json.dumps(work(url)))


def move(url: str) -> dict[str, int] | str:
    """Return the rows by table, or the error."""
    said = io.StringIO()
    try:
        call_command("move-to", url, stdout=said)
    except CommandError as error:
        return str(error)
    return json.loads(said.getvalue())["rows"]


def dump(alias: str) -> list[str]:
    said = io.StringIO()
    call_command("dumpdata", database=alias, exclude=LEFT_OUT, stdout=said)
    return sorted(json.dumps(row, sort_keys=True) for row in json.loads(said.getvalue()))


def fill_and_move(url: str) -> dict:
    fill()
    report = move_everything(url)
    empty_database("target")
    return report


def fill() -> None:
    """Classes, people, a secret, and rights with other numbers than `migrate` gives them."""
    call_command("migrate", verbosity=0)
    Permission.objects.filter(pk=1).delete()
    ContentType.objects.filter(app_label="bookings").order_by("pk").first().delete()
    call_command("migrate", verbosity=0)
    host = UserFactory(name='Ñandú\n\\.\t"x"', provider_refresh_token="a secret")
    VirtualClassFactory.create_batch(3, scheduled=True, booked_by=host)
    helpers = Group.objects.create(name="Helpers")
    helpers.permissions.add(*Permission.objects.all()[:5])
    host.groups.add(helpers)
    set_photo(draw_photo())


def move_everything(url: str) -> dict:
    rows = move(url)
    rights = Group.objects.get().permissions.order_by("codename", "content_type__model")
    return {
        "rows": rows,
        "is_same": dump("default") == dump("target"),
        "photo": [
            bytes(file.content) == bytes(StoredFile.objects.using("target").get(pk=file.pk).content)
            for file in StoredFile.objects.all()
        ],
        "rights": [
            [str(right) for right in rights.using(alias)] for alias in ("default", "target")
        ],
        "next": Group.objects.using("target").create(name="More").pk,
        "again": move(url),
    }


def test_every_row_moves(source):
    _, report = source

    assert report["is_same"]
    assert report["rows"]["bookings_virtualclass"] == 3
    assert report["rows"]["auth_group_permissions"] == 5
    assert report["photo"] == 3 * [True]
    assert report["rights"][0] == report["rights"][1]
    assert report["next"] == 2
    assert report["again"] == "The new database is not empty. Create another one."


def move_a_row_that_postgresql_refuses(url: str) -> dict:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE accounts_user SET phone = %s", ["1" * 300])
    refused = move(url)
    left = [model.objects.using("target").count() for model in (User, VirtualClass, Group)]
    User.objects.update(phone="1")
    return {"refused": refused, "left": left, "again": move(url)}


def test_a_refused_row_leaves_the_new_database_empty(moved):
    report = moved(move_a_row_that_postgresql_refuses)

    assert report["refused"] == ("accounts_user: value too long for type character varying(30)")
    assert report["left"] == [0, 0, 0]
    assert report["again"]["bookings_virtualclass"] == 3


def move_without_migrations(url: str) -> str:
    MigrationRecorder.Migration.objects.filter(app="calendar_sync").delete()
    return move(url)


def test_a_database_of_another_release_is_refused(moved):
    assert moved(move_without_migrations) == (
        "This database lacks migrations. Run `manage.py migrate` first."
    )


@pytest.mark.parametrize("url", ["sqlite:///other.sqlite3", "hello", ""])
def test_only_an_address_of_postgresql_is_taken(url):
    with pytest.raises(CommandError, match="only to postgres://user@host:5432/name"):
        call_command("move-to", url)


def move_by_odd_addresses(url: str) -> list[str]:
    odd = (
        "postgres://teacher:hunter/2@127.0.0.1:5432/classes",
        "postgres://teacher:hunter?2@127.0.0.1:5432/classes",
        "postgres://teacher:hunter@127.0.0.1:99999/classes",
        "postgres://teacher:hunter@127.0.0.1:1/classes",
        "postgres://teacher:hunter@127.0.0.1:1/classes?sslmode=hunter",
        "postgresx://teacher:hunter@127.0.0.1:1/classes",
    )
    return [str(move(one)) for one in odd]


def test_no_error_shows_a_password(moved):
    errors = moved(move_by_odd_addresses)

    assert [one for one in errors if "hunter" in one.replace('"hunter"', "")] == []
    assert all(one.startswith("The new database cannot be reached") for one in errors)
    assert errors[3].startswith("The new database cannot be reached: connection failed")
