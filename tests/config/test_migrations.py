"""tests/check_migrations.py: what old code would not survive is found, and nothing else."""

import pytest
from django.contrib.contenttypes.models import ContentType
from django.db import connection, models
from django.db.migrations.state import ModelState, ProjectState

from bookings.online_indexes import AddIndexOnline
from tests.check_migrations import BASELINE, find_faults, judge

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
        ["BEGIN;", OLD + 'ADD COLUMN "x" varchar(9) NULL;', "COMMIT;"],
        ["BEGIN;", OLD + "ADD COLUMN \"x\" varchar(9) DEFAULT '' NOT NULL;", "COMMIT;"],
    ],
    ids=["a new table", "concurrently", "empty", "with a default that stays"],
)
def test_what_old_code_survives_is_no_fault(statements):
    assert find_faults(statements) == set()


def test_migration_is_excused_for_exactly_what_is_wrong_with_it():
    name, excused = next(iter(BASELINE.items()))

    assert judge(name, excused) == []
    assert judge(name, excused | {"DROP_TABLE"}) == [f"{name}: DROP_TABLE"]
    assert judge(name, set()) == [
        f"{name}: {code} is excused, but is not there" for code in excused
    ]
    assert judge("bookings.9999_new", {"DROP_TABLE"}) == ["bookings.9999_new: DROP_TABLE"]


@pytest.mark.django_db(transaction=True)
def test_index_online_is_made_and_taken_back_on_either_engine():
    index = models.Index(fields=["app_label"], name="type_by_app")
    state = ProjectState()
    state.add_model(ModelState.from_model(ContentType))
    later = state.clone()
    operation = AddIndexOnline("contenttype", index)
    operation.state_forwards("contenttypes", later)

    with connection.schema_editor(atomic=False) as editor:
        operation.database_forwards("contenttypes", editor, state, later)
    assert "type_by_app" in index_names()
    with connection.schema_editor(atomic=False) as editor:
        operation.database_backwards("contenttypes", editor, later, state)
    assert "type_by_app" not in index_names()


def index_names():
    with connection.cursor() as cursor:
        return connection.introspection.get_constraints(cursor, ContentType._meta.db_table)
