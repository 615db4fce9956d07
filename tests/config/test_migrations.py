"""tests/check_migrations.py: what old code would not survive is found, and nothing else."""

import pytest
from django.contrib.contenttypes.models import ContentType
from django.db import IntegrityError, ProgrammingError, connection, models
from django.db.migrations.state import ModelState, ProjectState

from config.lib.online_migrations import (
    AddConstraintOnline,
    AddIndexOnline,
    RemoveIndexOnline,
    ValidateConstraintOnline,
)
from tests.check_migrations import EXCUSED, find_faults, judge

OLD = 'ALTER TABLE "bookings_notice" '
NEW = 'CREATE TABLE "bookings_new" ("id" bigint NOT NULL PRIMARY KEY);'


@pytest.mark.parametrize(
    ("statements", "fault"),
    [
        ([OLD + 'ADD COLUMN "x" varchar(9) NOT NULL;'], "NOT_NULL"),
        (
            [
                OLD + "ADD COLUMN \"x\" varchar(9) DEFAULT '' NOT NULL;",
                OLD + 'ALTER COLUMN "x" DROP DEFAULT;',
            ],
            "NOT_NULL",
        ),
        ([OLD + 'DROP COLUMN "x" CASCADE;'], "DROP_COLUMN"),
        ([OLD + 'RENAME COLUMN "x" TO "y";'], "RENAME_COLUMN"),
        ([OLD + 'RENAME TO "y";'], "RENAME_TABLE"),
        ([OLD + 'ALTER COLUMN "x" TYPE integer;'], "ALTER_COLUMN"),
        ([OLD + 'ADD CONSTRAINT "u" UNIQUE ("x");'], "ADD_UNIQUE"),
        (['DROP TABLE "bookings_notice" CASCADE;'], "DROP_TABLE"),
        (['CREATE INDEX "i" ON "bookings_notice" ("x") WHERE "x" > 0;'], "CREATE_INDEX"),
        (['DROP INDEX IF EXISTS "i";'], "DROP_INDEX"),
        ([OLD + 'ADD CONSTRAINT "c" CHECK ("x" > 0);'], "ADD_CHECK"),
    ],
    ids=str,
)
def test_fault_is_found(statements, fault):
    assert find_faults(["BEGIN;", *statements, "COMMIT;"]) == {fault}


@pytest.mark.parametrize(
    "statements",
    [
        ["BEGIN;", NEW, 'CREATE INDEX "i" ON "bookings_new" ("id") WHERE "id" > 0;', "COMMIT;"],
        ['CREATE INDEX CONCURRENTLY "i" ON "bookings_notice" ("x");'],
        ['DROP INDEX CONCURRENTLY IF EXISTS "i";'],
        ["BEGIN;", OLD + 'ADD CONSTRAINT "c" CHECK ("x" > 0) NOT VALID;', "COMMIT;"],
        ["BEGIN;", NEW, 'ALTER TABLE "bookings_new" ADD CONSTRAINT "c" CHECK ("id" > 0);'],
        ["BEGIN;", OLD + 'ADD COLUMN "x" varchar(9) NULL;', "COMMIT;"],
        ["BEGIN;", OLD + "ADD COLUMN \"x\" varchar(9) DEFAULT '' NOT NULL;", "COMMIT;"],
    ],
    ids=[
        "a new table",
        "concurrently",
        "dropped so",
        "not valid",
        "a check of a new table",
        "empty",
        "with a default that stays",
    ],
)
def test_what_old_code_survives_is_no_fault(statements):
    assert find_faults(statements) == set()


def test_migration_is_excused_for_exactly_what_is_wrong_with_it(monkeypatch):
    monkeypatch.setitem(EXCUSED, "bookings.0003_phone", {"NOT_NULL": "a reason"})

    assert judge("bookings.0003_phone", {"NOT_NULL"}) == []
    assert judge("bookings.0003_phone", {"NOT_NULL", "DROP_TABLE"}) == [
        "bookings.0003_phone: DROP_TABLE"
    ]
    assert judge("bookings.0003_phone", set()) == [
        "bookings.0003_phone: NOT_NULL is excused, but is not there"
    ]
    assert judge("bookings.9999_new", {"DROP_TABLE"}) == ["bookings.9999_new: DROP_TABLE"]


class Table:
    """A table of Django's that the operations may change, and the way there and back."""

    def __init__(self):
        self.state = ProjectState()
        self.state.add_model(ModelState.from_model(ContentType))

    def apply(self, operation):
        later = self.state.clone()
        operation.state_forwards("contenttypes", later)
        with connection.schema_editor(atomic=False) as editor:
            operation.database_forwards("contenttypes", editor, self.state, later)
        before, self.state = self.state, later
        return operation, before

    def take_back(self, operation, before):
        with connection.schema_editor(atomic=False) as editor:
            operation.database_backwards("contenttypes", editor, self.state, before)
        self.state = before


@pytest.fixture
def table(transactional_db):
    return Table()


def constraint_names():
    """Give the names of the table's constraints, indexes included."""
    with connection.cursor() as cursor:
        return connection.introspection.get_constraints(cursor, ContentType._meta.db_table)


def test_index_is_added_and_removed_online_on_either_engine(table):
    index = models.Index(fields=["app_label"], name="type_by_app")

    added = table.apply(AddIndexOnline("contenttype", index))
    assert "type_by_app" in constraint_names()
    removed = table.apply(RemoveIndexOnline("contenttype", "type_by_app"))
    assert "type_by_app" not in constraint_names()
    table.take_back(*removed)
    assert "type_by_app" in constraint_names()
    table.take_back(*added)
    assert "type_by_app" not in constraint_names()


def test_limit_for_locks_is_back_after_an_index_that_failed(table):
    if connection.vendor != "postgresql":
        pytest.skip("only PostgreSQL waits for locks")
    added = AddIndexOnline("contenttype", models.Index(fields=["app_label"], name="type_by_app"))
    before = lock_timeout()
    table.apply(added)
    with pytest.raises(ProgrammingError):
        table.apply(added)

    assert lock_timeout() == before != "0"
    table.apply(RemoveIndexOnline("contenttype", "type_by_app"))


def lock_timeout():
    with connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        return cursor.fetchone()[0]


def test_constraint_is_added_and_validated_online_on_either_engine(table):
    named = models.CheckConstraint(condition=~models.Q(app_label="x"), name="app_is_not_x")

    added = table.apply(AddConstraintOnline("contenttype", named))
    with pytest.raises(IntegrityError):
        ContentType.objects.create(app_label="x", model="y")
    validated = table.apply(ValidateConstraintOnline("contenttype", "app_is_not_x"))
    assert is_valid("app_is_not_x")
    table.take_back(*validated)
    table.take_back(*added)
    assert "app_is_not_x" not in constraint_names()


def test_old_rows_are_looked_at_by_the_validation(table):
    if connection.vendor != "postgresql":
        pytest.skip("elsewhere every row is looked at as usual")
    old = ContentType.objects.create(app_label="x", model="y")
    named = models.CheckConstraint(condition=~models.Q(app_label="x"), name="app_is_not_x")

    added = table.apply(AddConstraintOnline("contenttype", named))
    assert not is_valid("app_is_not_x")
    with pytest.raises(IntegrityError):
        table.apply(ValidateConstraintOnline("contenttype", "app_is_not_x"))
    table.take_back(*added)
    old.delete()


def is_valid(name):
    """Whether a constraint holds for every row; on SQLite all do."""
    if connection.vendor != "postgresql":
        return name in constraint_names()
    with connection.cursor() as cursor:
        cursor.execute("SELECT convalidated FROM pg_constraint WHERE conname = %s", [name])
        return cursor.fetchone()[0]
